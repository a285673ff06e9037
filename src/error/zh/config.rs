//! 简体中文: why a configuration is refused.

use crate::config::ConfigError;

pub(super) fn message(error: &ConfigError) -> String {
    match error {
        ConfigError::NoLead => "没有成员的角色是 `lead`，必须恰好有一名".into(),
        ConfigError::SeveralLeads { second } => {
            format!("`{second}` 是第二个 `lead`，只接受一名")
        }
        ConfigError::DuplicateMember { name } => {
            format!("`{name}` 列了两次，或与另一个名字只有大小写不同")
        }
        ConfigError::AliasIsMember { name } => {
            format!("`{name}` 是负责人的别名，同时又是成员的名字")
        }
        ConfigError::SelfNotListed { name } => {
            format!("引擎自己的成员 `{name}` 不在成员名单中")
        }
        ConfigError::TooManyMembers { limit } => {
            format!("成员数超过 `limits.members` 规定的 {limit} 名")
        }
        ConfigError::Zero { field } => format!("`{field}` 为 0，至少应为 1"),
        ConfigError::TimeoutOverCap { timeout, cap } => {
            let (timeout, cap) = (timeout.as_ms(), cap.as_ms());
            format!("`timing.timeout` 为 {timeout} 毫秒，不应超过 `timing.cap` 的 {cap} 毫秒")
        }
    }
}

pub(super) fn hint(error: &ConfigError) -> String {
    match error {
        ConfigError::NoLead => "把角色 `lead` 给予负责提出关闭请求并裁决计划的成员",
        ConfigError::SeveralLeads { .. } => "只留一名，其余改为 `worker` 或 `approver`",
        ConfigError::DuplicateMember { .. } => "每名成员只列一次，名字不能仅有大小写之别",
        ConfigError::AliasIsMember { .. } => "给该成员改名，或去掉这个别名",
        ConfigError::SelfNotListed { .. } => "把该成员列入 `members`，或改正它的名字",
        ConfigError::TooManyMembers { .. } => "减少成员，或调高上限",
        ConfigError::Zero { .. } => "设为正数，或省略以采用默认值",
        ConfigError::TimeoutOverCap { .. } => "调低 `timing.timeout` 或调高 `timing.cap`",
    }
    .to_owned()
}
