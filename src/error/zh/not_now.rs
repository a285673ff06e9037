//! 简体中文: why something does not fit how things stand.

use super::lineage;
use crate::error::render::{list, quoted, seconds};
use crate::error::{Lang, NotNow};
use crate::gate::Denied;
use crate::ids::{MemberName, RequestId};
use crate::message::Status;
use crate::request::PauseError;
use crate::time::Millis;

#[expect(clippy::too_many_lines, reason = "one arm per error")]
pub(super) fn message(error: &NotNow) -> String {
    match error {
        NotNow::UnknownRequest { found, open } => {
            format!("没有请求 {}；未决的请求：{}", quoted(found), ids(open))
        }
        NotNow::RequestIdMissing { open } => {
            format!("没有用 `request_id` 指明请求；未决的请求：{}", ids(open))
        }
        NotNow::AmbiguousPrefix { found, candidates } => {
            format!("有多个请求以 {} 开头：{}", quoted(found), ids(candidates))
        }
        NotNow::KindMismatch { request, answer } => {
            format!("请求的种类是 `{}`，答复的种类却是 `{}`", request.name(), answer.name())
        }
        NotNow::AlreadyAnswered { status } => {
            format!("此前已经答复或报告过，请求的状态是 `{}`", status.name())
        }
        NotNow::AnswerConflicts { status } => {
            format!("此前已给出相反的答复，请求的状态是 `{}`", status.name())
        }
        NotNow::NotPending { status } => {
            format!("请求已经结束：状态是 `{}`，应为 `pending`", status.name())
        }
        NotNow::NotApproved { status } => {
            format!("请求的状态是 `{}`，应为 `approved` 且有工作待报告", status.name())
        }
        NotNow::ApprovalEnded => "本成员同意离开时该批准已经终止，其工作不再接受报告".into(),
        NotNow::WorkNotRunning { run } => format!("该请求的第 {run} 次执行并不在进行中"),
        NotNow::NothingToReopen { status } => format!(
            "没有可以重开的内容：只有本成员拒绝过的计划可以重开，而该请求处于 {}",
            status.name()
        ),
        NotNow::NothingToRerun => {
            "该请求没有失败、中断或缺少处理函数的工作，没有可以重新执行的内容".into()
        }
        NotNow::NothingToUndo => "该请求获批后不会打开闸门，没有可以撤销的工作".into(),
        NotNow::NothingToReport => "该请求不接受这种报告，只报告已批准计划的执行情况".into(),
        NotNow::InCriticalSection { name, free_in } => in_critical_section(name, *free_in),
        NotNow::RecipientLeaving { name } => format!("{} 正在离开", member(name)),
        NotNow::RecipientLeft { name } => format!("{} 已经离开", member(name)),
        NotNow::RecipientLost { name, retry_in } => recipient_lost(name, *retry_in),
        NotNow::TooManyOpen { limit } => {
            format!("两名成员之间已有 {limit} 个未决请求，达到上限")
        }
        NotNow::Lineage(error) => lineage::message(error),
        NotNow::AlreadyPending { request_id } => {
            format!("同样的请求 {} 正在等待裁决", quoted(request_id.as_str()))
        }
        NotNow::Pause(PauseError::AlreadyPaused) => "请求已经暂停".into(),
        NotNow::Pause(PauseError::NotPaused) => "请求没有暂停".into(),
        NotNow::Pause(PauseError::UsedUp { limit }) => {
            format!("它的暂停合计最多 {} 秒，已经用完", seconds(*limit))
        }
        NotNow::WouldDeadlock { name, request_id } => {
            let (name, id) = (member(name), quoted(request_id.as_str()));
            format!("{name} 正在等待本成员对 {id} 的裁决：再等待 {name} 会使双方永远互相等待")
        }
        NotNow::SelfLeaving => "本成员正在离开或已经离开".into(),
        NotNow::IdReused { request_id } => {
            format!("{} 已是另一个请求的 id", quoted(request_id.as_str()))
        }
        NotNow::GateClosed { action, why, pending } => gate_closed(action, *why, pending),
    }
}

pub(super) fn hint(error: &NotNow) -> String {
    match error {
        NotNow::UnknownRequest { .. } => {
            "如果指的是某个未决的请求，请写出完整的 id；否则什么都不做：没有需要答复的请求"
        }
        NotNow::RequestIdMissing { .. } => "写出所指请求的完整 id；没有未决的请求就什么都不做",
        NotNow::AmbiguousPrefix { .. } => "写出所指请求的完整 id",
        NotNow::KindMismatch { .. } => {
            "重新阅读请求，就它所问的事作出决定，用相同的种类答复；若指另一个请求，请写明它的 id"
        }
        NotNow::AlreadyAnswered { .. } => "什么都不做：先前所说的有效，并且已经发出",
        NotNow::AnswerConflicts { .. } => "保留先前的答复；情况有变就用普通文本说明",
        NotNow::NotPending { .. } => "不再处理该请求；仍有需要时，由请求方另发新的请求",
        NotNow::NotApproved { status } => not_approved_hint(*status),
        NotNow::ApprovalEnded => "停止这项工作，用普通文本告知负责人进展到哪里，然后确认退出",
        NotNow::WorkNotRunning { .. } => "每次执行结束时只报告一次，并带上它的编号",
        NotNow::NothingToReopen { .. } => "重开该计划最近一次的拒绝；仍在等待的请求可以直接裁决",
        NotNow::NothingToRerun => {
            "只在收到 `work_failed` 或 `work_missing` 事件之后重新执行；已完成的工作不再执行"
        }
        NotNow::NothingToUndo => "去掉补偿工作，或改为请求会打开闸门的事项",
        NotNow::NothingToReport => "不要发送报告；需要让对方知道的事用普通文本说明",
        NotNow::InCriticalSection { .. } => {
            "先完成这一段工作；结束之后才能同意离开，在此期间可以拒绝并说明何时空闲"
        }
        NotNow::RecipientLeaving { .. } => "安排工作时不再计入该成员；它的工作由负责人分配",
        NotNow::RecipientLeft { .. } => "不再向该成员发送消息；它的工作需要由别的成员接手",
        NotNow::RecipientLost { retry_in, .. } => return recipient_lost_hint(*retry_in),
        NotNow::TooManyOpen { .. } => "等待其中一些得到裁决，或取消已经不需要的请求",
        NotNow::Lineage(error) => lineage::hint(error),
        NotNow::AlreadyPending { .. } => "等待裁决；如果要问的事变了，先取消这个未决的请求",
        NotNow::Pause(PauseError::AlreadyPaused) => "无需任何操作：恢复之前它的时钟一直停着",
        NotNow::Pause(PauseError::NotPaused) => "无需任何操作：它的时钟正在走",
        NotNow::Pause(PauseError::UsedUp { .. }) => {
            "让时钟继续走；如果裁决之前就到期，用更长的时限重新请求"
        }
        NotNow::WouldDeadlock { .. } => {
            "先就对方所等的请求作出决定，或用普通文本说明所需：普通文本不造成等待"
        }
        NotNow::SelfLeaving => "完成手头的事并确认退出，不再开始新的工作",
        NotNow::IdReused { .. } => "先前的请求有效；请求方应为新的请求使用新的 id",
        NotNow::GateClosed { action, why, pending } => {
            return gate_closed_hint(action, *why, pending);
        }
    }
    .to_owned()
}

fn in_critical_section(name: &str, free_in: Option<Millis>) -> String {
    let section = format!("临界区 {} 尚未退出", quoted(name));
    match free_in {
        Some(free_in) => format!("{section}，预计约 {} 秒后退出", seconds(free_in)),
        None => format!("{section}，退出时间未知"),
    }
}

fn recipient_lost(name: &MemberName, retry_in: Option<Millis>) -> String {
    let lost = format!("{} 已失联：没有任何存活迹象", member(name));
    match retry_in {
        Some(retry_in) => format!("{lost}；{} 秒后放行一个试探请求", seconds(retry_in)),
        None => format!("{lost}；一个试探请求正在途中"),
    }
}

fn gate_closed(action: &str, why: Denied, pending: &[RequestId]) -> String {
    let why = match why {
        Denied::NoPlan => "没有已批准的计划",
        Denied::PlanRequired => "负责人要求提交计划，此后没有计划获得批准",
        Denied::OutOfScope => "已批准的计划都没有在范围中列出它",
        Denied::Spent => "涵盖它的计划只批准使用一次，已经用掉",
    };
    format!("闸门对 {} 关闭：{why}；等待裁决的请求：{}", quoted(action), ids(pending))
}

const fn not_approved_hint(status: Status) -> &'static str {
    match status {
        Status::Pending => "先不要开始工作，等待裁决",
        Status::Approved | Status::Rejected | Status::TimedOut | Status::Cancelled => {
            "不要做这项工作；如果已经开始，就停下来，用普通文本告诉负责人进行到了哪里"
        }
    }
}

fn recipient_lost_hint(retry_in: Option<Millis>) -> String {
    match retry_in {
        Some(retry_in) => {
            format!("等待 {} 秒后再请求，或把工作交给其他成员", seconds(retry_in))
        }
        None => "等待试探的结果，或把工作交给其他成员".to_owned(),
    }
}

fn gate_closed_hint(action: &str, why: Denied, pending: &[RequestId]) -> String {
    let action = quoted(action);
    let wait = match pending {
        [] => "",
        [..] => "先等待未决请求的裁决，如果它不涵盖该操作，再",
    };
    match why {
        Denied::NoPlan => {
            format!("{wait}提交一份在范围中列出 {action} 的计划，然后等待：批准之前不要开始")
        }
        Denied::PlanRequired => {
            format!(
                "{wait}提交负责人要求的计划，在范围中列出 {action}，然后等待：此前的批准不再有效"
            )
        }
        Denied::OutOfScope => {
            format!(
                "保持在已批准的范围内；确有需要时，{wait}另行提交列出 {action} 的计划并等待裁决"
            )
        }
        Denied::Spent => {
            format!("那项工作完成后提交报告；要再次执行 {action}，{wait}提交新的计划并等待裁决")
        }
    }
}

fn member(name: &MemberName) -> String {
    quoted(name.as_str()).to_string()
}

fn ids(ids: &[RequestId]) -> String {
    list(Lang::Zh, ids.iter().map(RequestId::as_str))
}
