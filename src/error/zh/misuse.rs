//! 简体中文: what a host must not do.

use super::decode;
use super::invalid::scope;
use crate::error::render::quoted;
use crate::error::{EscalationError, Misuse};
use crate::time::Millis;

pub(super) fn message(error: &Misuse) -> String {
    let most = Millis::MAX_FROM_OUTSIDE;
    match error {
        Misuse::BadClock => format!("`now` 不是有效时间，应为 0 到 {most} 的毫秒数"),
        Misuse::BadSpan { field } => {
            format!("`{field}` 不是有效时长，应为 0 到 {most} 的毫秒数")
        }
        Misuse::Closed => "引擎已关闭".into(),
        Misuse::NoRandomness => "本机无法提供随机数，也没有设置种子".into(),
        Misuse::BadOption { why } => format!("选项无法使用：{}", decode::message(why)),
        Misuse::EffectsPending => "输入产生的效果还没有全部交付".into(),
        Misuse::UnknownPermit => {
            "该许可没有可归还的内容：不存在、已归还、已报告，或所属计划可多次使用".into()
        }
        Misuse::UnknownSection => "没有以此为 id 且尚未退出的临界区".into(),
        Misuse::TooManySections { limit } => {
            format!("已有 {limit} 个尚未退出的临界区，达到上限")
        }
        Misuse::BadAction { found, why } => {
            format!("{} 不是有效的操作：{}", quoted(found), scope(*why))
        }
        Misuse::NameTaken { name } => {
            format!("名字 `{name}` 已被成员或别名占用，大小写不同也算相同")
        }
        Misuse::SecondLead => "团队已有负责人，只接受一名".into(),
        Misuse::TooManyMembers { limit } => format!("团队已有 {limit} 名成员，达到上限"),
        Misuse::BadEscalation { why: EscalationError::NotLeaving } => {
            "只有请成员离开的请求才会自动再次提出".into()
        }
        Misuse::BadEscalation { why: EscalationError::Attempts { attempts, most } } => {
            format!("设定了 {attempts} 次尝试，应为 1 到 {most} 次")
        }
        Misuse::LifeNotLater { name } => {
            format!("为 `{name}` 宣告的实例并不晚于已知的实例")
        }
    }
}

pub(super) fn hint(error: &Misuse) -> String {
    match error {
        Misuse::BadClock => "传入宿主时钟给出的 Unix 纪元以来的毫秒数",
        Misuse::BadSpan { .. } => "传入有限的非负数，或省略",
        Misuse::Closed => "新建一个引擎，并使用新的实例",
        Misuse::NoRandomness => "在有安全随机源的环境中运行；只在测试中设置种子",
        Misuse::BadOption { .. } => "按软件包的类型说明改正该选项",
        Misuse::EffectsPending => "先取出并交付全部效果，用 `released` 告知，然后再保存快照",
        Misuse::UnknownPermit => "许可只归还一次，而且只在工作没能开始时归还",
        Misuse::UnknownSection => "每个临界区只退出一次，使用进入时返回的 id",
        Misuse::TooManySections { .. } => "工作结束时退出临界区，失败时也要退出",
        Misuse::BadAction { .. } => "把操作写成 `verb:resource`，例如 `delete:src/old.rs`",
        Misuse::NameTaken { .. } => "另选一个名字；如果是同一成员的新实例，请宣告该实例",
        Misuse::SecondLead => "以 `worker` 或 `approver` 角色加入该成员",
        Misuse::TooManyMembers { .. } => "调高 `limits.members`，或把工作分给多个团队",
        Misuse::BadEscalation { .. } => "只用于关闭请求，次数不超过 `limits.lineage` 所余",
        Misuse::LifeNotLater { .. } => "按开始的先后宣告实例；这个实例已成过去，或是本引擎自己的",
    }
    .to_owned()
}
