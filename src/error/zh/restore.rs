//! 简体中文: why nobody can go on from what was saved.

use crate::error::render::quoted;
use crate::snapshot::RestoreError;

pub(super) fn message(error: &RestoreError) -> String {
    match error {
        RestoreError::Nothing => "没有可以接续的内容，需要一份快照或从第一行起的日志".into(),
        RestoreError::Truncated { path } => format!("{} 提前结束", quoted(path)),
        RestoreError::Corrupt { path } => format!("{} 已损坏，或不是该类内容", quoted(path)),
        RestoreError::Newer { path, found, known } => {
            format!("{} 的版本是 {found}，这里已知的最高版本是 {known}", quoted(path))
        }
        RestoreError::Foreign { found, expected } => {
            format!("这是 `{found}` 保存的，应为 `{expected}`")
        }
        RestoreError::Gap { path, expected, found } => {
            format!("{} 的编号是 {found}，应为 {expected}", quoted(path))
        }
        RestoreError::Twice { path, n } => {
            format!("{} 是编号 {n} 的第二行：有两个引擎从这里接续", quoted(path))
        }
        RestoreError::Diverged { path } => format!("{} 重放的结果与当时不同", quoted(path)),
    }
}

pub(super) fn hint(error: &RestoreError) -> String {
    match error {
        RestoreError::Nothing => "用新的 incarnation 创建新引擎，并由 lead 宣布",
        RestoreError::Truncated { .. } => {
            "找回其余部分，或使用更早的快照及其完整日志；没有的话，用新的 incarnation 创建新引擎"
        }
        RestoreError::Corrupt { .. } => {
            "使用更早的快照及其完整日志；没有的话，用新的 incarnation 创建新引擎"
        }
        RestoreError::Newer { .. } => "用写入它的版本或更高版本恢复",
        RestoreError::Foreign { .. } => "给每个成员各自的保存位置",
        RestoreError::Gap { .. } => "找回缺失的行；缺失时不要继续",
        RestoreError::Twice { .. } => {
            "停掉另一个引擎，同一时间只让一个进程打开日志；然后用新的 incarnation 创建新引擎"
        }
        RestoreError::Diverged { .. } => "用写入它的版本恢复，升级前先保存快照",
    }
    .to_owned()
}
