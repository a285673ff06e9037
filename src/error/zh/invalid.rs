//! 简体中文: why a message that could be read may not be sent or believed.

use crate::authority::AuthorityError;
use crate::error::Lang;
use crate::error::render::{Part, Topic, list, part, quoted, roles};
use crate::ids::MemberName;
use crate::message::{Role, Roles, ScopeError};
use crate::validate::{InvalidMessage, StageError};

pub(super) fn message(error: &InvalidMessage) -> String {
    match error {
        InvalidMessage::Broadcast { message } => {
            format!("`{message}` 只与一名成员有关，不能发给 `*`")
        }
        InvalidMessage::ToOneself { message } => format!("这条 `{message}` 是成员发给自己的"),
        InvalidMessage::UnknownRecipient { name, nearest, roster } => {
            unknown_recipient(name, nearest.as_ref(), roster)
        }
        InvalidMessage::ResponseNotToLead { to } => {
            format!("工作成员对关闭请求的答复只发给负责人，这条却发给 `{}`", to.name())
        }
        InvalidMessage::NotAllowed { message, from, to, between, why } => {
            not_allowed(message, *from, *to, *between, *why)
        }
        InvalidMessage::UnknownKind { kind, nearest } => {
            let nearest = nearest.as_ref().map(|kind| format!("，最接近的是 `{kind}`"));
            format!("没有声明过 `{kind}` 这种请求{}", nearest.unwrap_or_default())
        }
        InvalidMessage::OwnMessages { kind } => {
            format!("`{kind}` 有专用的消息，不用 `request`、`response` 和 `payload`")
        }
        InvalidMessage::ScopeMismatch { kind, gate: true } => {
            format!("同意 `{kind}` 会打开门禁，但 `scope` 没有写明范围")
        }
        InvalidMessage::ScopeMismatch { kind, gate: false } => {
            format!("同意 `{kind}` 不打开门禁，却写了 `scope` 或 `uses`")
        }
        InvalidMessage::DigestRequired => {
            "这个决定会打开门禁，却没有写明针对什么：缺少 `digest`".to_owned()
        }
        InvalidMessage::InvalidStages { stage, why } => stages(*stage, why),
        InvalidMessage::ReasonRequired { message, path } => {
            format!("表示拒绝的 `{message}` 必须在 `{path}` 中说明理由，实际没有")
        }
        InvalidMessage::TextTooLong { path, bytes, limit } => {
            format!("{} 共 {bytes} 字节，上限为 {limit} 字节", quoted(path))
        }
        InvalidMessage::Blank { path } => format!("`{path}` 没有可见内容，应为有内容的文本"),
        InvalidMessage::InvalidScope { path, why } => {
            format!("{} 不是有效的范围条目：{}", quoted(path), scope(*why))
        }
        InvalidMessage::ZeroLimit { path } => {
            format!("`{path}` 为 0 毫秒，至少应为 1：否则请求一开始就结束了")
        }
        InvalidMessage::TimeoutOverCap { timeout, cap } => {
            format!("空闲时限 {} 毫秒超过了总时限 {} 毫秒", timeout.as_ms(), cap.as_ms())
        }
    }
}

pub(super) fn hint(error: &InvalidMessage) -> String {
    match error {
        InvalidMessage::Broadcast { message } => broadcast_hint(message),
        InvalidMessage::ToOneself { message } => to_oneself_hint(message),
        InvalidMessage::UnknownRecipient { .. } => {
            "逐字使用名单中的名字；不在名单上的成员不属于团队"
        }
        InvalidMessage::ResponseNotToLead { .. } => {
            "如果是负责人请你离开，就用那个请求的 id 答复负责人；否则什么都不要发送"
        }
        InvalidMessage::NotAllowed { message, from, why, .. } => {
            not_allowed_hint(message, *from, *why)
        }
        InvalidMessage::UnknownKind { .. } => "使用团队宿主声明过的种类；只想说的话用普通文本",
        InvalidMessage::OwnMessages { .. } => {
            "使用 `shutdown_request` 或 `plan_approval_request` 及其答复"
        }
        InvalidMessage::ScopeMismatch { gate: true, .. } => {
            "在 `scope` 中列出受门禁保护的操作，例如 `write:src/auth/**`"
        }
        InvalidMessage::ScopeMismatch { gate: false, .. } => "去掉 `scope` 和 `uses`",
        InvalidMessage::DigestRequired => "重复你所裁决内容的摘要，或把答复交给引擎",
        InvalidMessage::InvalidStages { .. } => {
            "写明有权裁决且互不重复的成员，每个阶段至少一名，以及其中需要多少人同意；\
             只请求一名成员时省略 `stages`"
        }
        InvalidMessage::ReasonRequired { message, path } => return reason_hint(message, path),
        InvalidMessage::TextTooLong { .. } => {
            "写得短一些，或把详细内容放到对方能读取的地方并说明位置"
        }
        InvalidMessage::Blank { .. } => "用看得见的文字写明内容",
        InvalidMessage::InvalidScope { .. } => {
            "每个条目写成 `verb:resource` 或 `verb:folder/**`，例如 `write:src/auth/**`，\
             只列出计划需要的内容"
        }
        InvalidMessage::ZeroLimit { .. } => "省略该时限以采用默认值，或设为正数",
        InvalidMessage::TimeoutOverCap { .. } => "调低空闲时限或调高总时限；两者都省略则采用默认值",
    }
    .to_owned()
}

/// Which part of a scope entry or an action is wrong.
pub(super) const fn scope(why: ScopeError) -> &'static str {
    match why {
        ScopeError::NoVerb => "开头应为由 `a-z 0-9 _ -` 组成的动词和一个冒号",
        ScopeError::NoResource => "冒号后应有资源",
        ScopeError::DotSegment => "路径段 `.` 或 `..` 所指的位置与字面不同",
        ScopeError::EmptySegment => "两个斜杠之间或末尾有空路径段",
        ScopeError::Wildcard => "`*` 只能出现在末尾的 `/**` 中",
        ScopeError::BadCharacter => "不接受控制字符和反斜杠",
    }
}

fn stages(stage: usize, why: &StageError) -> String {
    match why {
        StageError::Nobody => format!("`stages[{stage}]` 没有写明任何成员"),
        StageError::Repeated { name } => format!("`stages[{stage}]` 重复写了 `{name}`"),
        StageError::Threshold { threshold, most } => {
            format!("`stages[{stage}]` 要求 {most} 人中 {threshold} 人同意，应为 1 到 {most}")
        }
        StageError::TooMany { limit } => format!("阶段超过 {limit} 个"),
        StageError::OneDecides => "同意者会离开：由该成员自己决定，不分阶段".to_owned(),
    }
}

fn unknown_recipient(name: &str, nearest: Option<&MemberName>, roster: &[MemberName]) -> String {
    let roster = list(Lang::Zh, roster.iter().map(MemberName::as_str));
    let unknown = match name {
        "" => "没有写明收件人".to_owned(),
        name => format!("团队中没有 {}", quoted(name)),
    };
    match nearest {
        Some(nearest) => {
            format!("{unknown}；最接近的名字是 {}，成员有：{roster}", quoted(nearest.as_str()))
        }
        None => format!("{unknown}；成员有：{roster}"),
    }
}

fn not_allowed(
    message: &str,
    from: Role,
    to: Role,
    between: Option<(Roles, Roles)>,
    why: AuthorityError,
) -> String {
    let why = match why {
        AuthorityError::MayNotAsk => "请求方没有这个角色",
        AuthorityError::LeadIsNoTarget => "任何人都不能请负责人离开",
        AuthorityError::PeersDoNotDecide => "工作成员之间不互相裁决",
        AuthorityError::MayNotDecide => "裁决方没有这个角色",
    };
    let (from, to) = (from.name(), to.name());
    let rule = between.map_or("应在另一对角色之间".to_owned(), |(from, to)| {
        format!("应由 {} 发给 {}", roles(Lang::Zh, from), roles(Lang::Zh, to))
    });
    format!("`{message}` {rule}，这条却由 `{from}` 发给 `{to}`：{why}")
}

fn broadcast_hint(message: &str) -> &'static str {
    match part(message) {
        Part::Asks(Topic::Shutdown) => {
            "由负责人按名字逐个发给工作成员，每人一条（宿主可用 `shutdownAll`）；普通文本可以发给 `*`"
        }
        Part::Asks(Topic::Other) => "按名字一次只请求一名成员；普通文本可以发给 `*`",
        Part::Asks(Topic::Plan) => "计划只提交给负责人；普通文本可以发给 `*`",
        Part::Answers(_) => "答复只发给提出该请求的成员；没有待答复的请求就什么都不要发送",
        Part::Neither => "只发给与之有关的那名成员；普通文本可以发给 `*`",
    }
}

fn to_oneself_hint(message: &str) -> &'static str {
    match part(message) {
        Part::Asks(_) => {
            "不要发送：成员不能裁决自己的请求；只有原本就要发给别的成员时，才改写收件人"
        }
        Part::Answers(_) => "什么都不要发送：成员不答复自己的请求",
        Part::Neither => "什么都不要发送：没有谁在等发给自己的消息",
    }
}

fn not_allowed_hint(message: &str, from: Role, why: AuthorityError) -> &'static str {
    match (part(message), why) {
        (Part::Answers(_) | Part::Neither, _) if from == Role::Lead => {
            "什么都不要发送，继续履行负责人的工作：这里不需要你答复"
        }
        (Part::Answers(_) | Part::Neither, _) => {
            "什么都不要发送：此事不由你决定；想说的话用普通文本告诉负责人"
        }
        (Part::Asks(Topic::Shutdown), AuthorityError::LeadIsNoTarget) => {
            "不要发送：负责人一直在岗，直到宿主结束团队"
        }
        (Part::Asks(Topic::Shutdown), _) if from == Role::Lead => {
            "不要发送：只有工作成员会被请求离开"
        }
        (Part::Asks(Topic::Shutdown), _) => {
            "用普通文本把你注意到的情况告诉负责人；是否提出请求由负责人决定"
        }
        (Part::Asks(Topic::Plan), _) if from == Role::Worker => {
            "把计划提交给负责人并等待裁决；与其他成员用普通文本交流"
        }
        (Part::Asks(Topic::Plan), _) => {
            "只有工作成员提交计划：用普通文本向一名工作成员说明要做的事"
        }
        (Part::Asks(Topic::Other), _) => {
            "不要发送：这种请求属于另一对角色；普通文本可以发给任何成员"
        }
    }
}

fn reason_hint(message: &str, path: &str) -> String {
    match part(message) {
        Part::Answers(Topic::Plan) => {
            format!("保持你的决定，并在 `{path}` 中写明计划要怎样修改后再提交")
        }
        Part::Answers(Topic::Shutdown | Topic::Other) | Part::Asks(_) | Part::Neither => {
            format!("保持你的决定，并在 `{path}` 中写明受什么阻碍，知道的话再写明何时空闲")
        }
    }
}
