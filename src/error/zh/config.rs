//! 简体中文: why a configuration is refused.

use crate::authority::KindError;
use crate::config::ConfigError;
use crate::message::Kind;

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
        ConfigError::Kind { why } => kind(why),
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
        ConfigError::Kind { why } => kind_hint(why),
        ConfigError::TimeoutOverCap { .. } => "调低 `timing.timeout` 或调高 `timing.cap`",
    }
    .to_owned()
}

fn kind(why: &KindError) -> String {
    match why {
        KindError::Taken { kind } => format!("已经有名为 `{kind}` 的种类"),
        KindError::Nobody { kind } => format!("`{kind}` 没有可以请求的角色，或没有可以裁决的角色"),
        KindError::LeadLeaves { kind } => format!("同意 `{kind}` 会使负责人离开"),
        KindError::PeersOpenGates { kind } => format!("`{kind}` 会让工作成员互相打开门禁"),
        KindError::BadLimits { kind } => {
            format!("`{kind}` 的某个时限为 0，或空闲时限超过总时限")
        }
        KindError::Circle { kind, through } => {
            let through: Vec<_> = through.iter().map(Kind::name).collect();
            format!("有了 `{kind}`，成员可能循环等待：{}", through.join(" → "))
        }
    }
}

const fn kind_hint(why: &KindError) -> &'static str {
    match why {
        KindError::Taken { .. } => "换一个名字",
        KindError::Nobody { .. } => "在 `asked_by` 和 `decided_by` 中各写至少一个角色",
        KindError::LeadLeaves { .. } => "改由工作成员或审批者裁决，或让同意不含其他意义",
        KindError::PeersOpenGates { .. } => "改由负责人或审批者裁决",
        KindError::BadLimits { .. } => "省略时限以采用通用值，或改正它们",
        KindError::Circle { .. } => {
            "把该种类设为不阻塞，改由其他角色裁决，或声明为可循环：死锁形成后会被发现并解除"
        }
    }
}
