//! 简体中文: what dropped frames and alarms mean.

use crate::effect::Alarm;
use crate::journal::DropReason;

pub(in crate::error) const fn dropped(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Orphan => "该帧涉及的请求不为本引擎所知",
        DropReason::Late => "该帧到达之前请求已经结束",
        DropReason::Duplicate => "该帧重复了此前说过的内容",
        DropReason::Conflicting => "该帧与已生效的决定相矛盾",
        DropReason::StaleIncarnation => "发送方或接收方是该成员的旧实例",
        DropReason::StaleFrame => "该帧早于对其发送方所记得的范围",
        DropReason::Unannounced => "发送方是该成员的一个未经宣告的实例",
        DropReason::Forged => "该帧声称的发送方与传输层所述不符",
        DropReason::Unidentified => "传输层没有说明该帧由谁发送",
        DropReason::UnknownSender => "发送方不在团队中",
        DropReason::SenderLeft => "发送方已经离开团队",
        DropReason::Misaddressed => "该帧是发给别的成员的",
        DropReason::Broadcast => "该帧是发给所有人的结构化消息",
        DropReason::FromSelf => "该帧来自接收它的成员自己",
        DropReason::WrongResponder => "答复来自没有被请求的成员",
        DropReason::WrongKind => "该帧属于另一种类的请求",
        DropReason::DigestMismatch => "裁决针对的不是所提交的那份计划",
        DropReason::Unapproved => "报告涉及未获批准的工作",
        DropReason::NotRejected => "该帧要重开的请求并不处于被拒绝的状态",
        DropReason::Throttled => "发送方的重复超出了会予以答复的范围",
        DropReason::ReceiverLeft => "接收方已经离开，或其引擎已关闭",
    }
}

pub(in crate::error) const fn dropped_hint(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Orphan => "没有任何改变；早已结束的 id 会被遗忘，从未有过的 id 是发送方的错误",
        DropReason::Late => "没有任何改变；决定来迟的发送方会得知请求的结局",
        DropReason::Duplicate => "无需处理：在可能丢帧的地方，重复是正常的",
        DropReason::Conflicting => "先前的决定有效；用普通文本询问发送方的本意",
        DropReason::StaleIncarnation => "无需处理；如果该成员重新启动过，请宣告它的新实例",
        DropReason::StaleFrame => "无需处理；如果经常发生，请检查传输层",
        DropReason::Unannounced => "先查明该成员是否确实重新启动过，确认之后才宣告新实例",
        DropReason::Forged => "不要依照其内容行事；查明谁能以该名字写入此通道",
        DropReason::Unidentified => "让传输层为交付的每一帧写明发送方",
        DropReason::UnknownSender => "如果该成员确属团队，先把它加入团队",
        DropReason::SenderLeft => "无需处理；如果该成员回来了，请宣告它的新实例",
        DropReason::Misaddressed => "让传输层只把每一帧交给它的接收方",
        DropReason::Broadcast => "发送方应只发给与之有关的那名成员；只有普通文本可以发给 `*`",
        DropReason::FromSelf => "让传输层不要把帧交回给发送方",
        DropReason::WrongResponder => "等待被请求的成员；只有它的答复算数",
        DropReason::WrongKind => "没有任何改变；发送方应查明那个请求问的是什么",
        DropReason::DigestMismatch => "保持闸门关闭，等待针对所提交计划的裁决",
        DropReason::Unapproved => "用普通文本询问发送者做了什么，并检查其结果",
        DropReason::NotRejected => {
            "没有任何改变；等待中或已批准的请求无需重开，其他结局之后可以重试"
        }
        DropReason::Throttled => "没有任何改变；待发送方平静下来，重复的内容会重新得到答复",
        DropReason::ReceiverLeft => "不再向该成员发送；它的工作需要由别的成员接手",
    }
}

pub(in crate::error) const fn alarm(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::WorkerLost => "一名工作成员没有任何存活迹象，已认定失联",
        Alarm::Reclaim => "失联的工作成员手上还有需要照管的工作",
        Alarm::LostWorkerAlive => "已认定失联的工作成员又发来了消息",
        Alarm::LeadSilent => "负责人没有答复",
        Alarm::ApproverSilent => "审批者没有答复",
        Alarm::RequestLoop => "同样的问题一再提出",
        Alarm::NotExited => "成员同意离开，却没有按时确认退出",
        Alarm::LeftDespiteCancel => "成员在请求结束之后才同意离开，它仍然会离开",
        Alarm::ConflictingDecision => "同一请求得到两次相反的裁决",
        Alarm::Forged => dropped(DropReason::Forged),
        Alarm::IdReused => "另一个不同的请求使用了已有请求的 id",
        Alarm::UnannouncedLife => dropped(DropReason::Unannounced),
        Alarm::SendFailed => "传输层未能发出一帧",
        Alarm::Deadlock => "成员之间形成了循环等待；为打破它，放弃了本成员的一个请求",
        Alarm::ReportLost => "执行报告已多次发送，始终未得到确认",
        Alarm::ReportOverdue => "已批准的工作没有按时报告",
        Alarm::RefusedRepeatedly => "成员在规定的次数之内每次都拒绝离开",
        Alarm::Storm => "成员不停地重复发送同样的内容；其重复暂不予以答复",
    }
}

pub(in crate::error) const fn alarm_hint(alarm: Alarm) -> &'static str {
    match alarm {
        Alarm::WorkerLost => "先查看它的进程是否还在运行，再考虑启动新的成员",
        Alarm::Reclaim => "清点列出的工作，其中有些可能只做了一半；然后重新分配",
        Alarm::LostWorkerAlive => "它原来的工作可能已交给别的成员：先确定由谁负责，再让它继续",
        Alarm::RequestLoop => "先查明是什么使它无法了结，再提出请求",
        Alarm::ApproverSilent => "请人查看该审批者的状况，或改由其他审批者裁决",
        Alarm::LeadSilent => "需要负责人的事先等待，并请人查看负责人的状况",
        Alarm::NotExited => "查看它的进程是否还在运行；确实结束之后才视为已离开",
        Alarm::LeftDespiteCancel => "安排工作时不再计入该成员，或让它以新实例重新启动",
        Alarm::ConflictingDecision => "先前的裁决有效；用普通文本弄清本意，需要时另发新请求",
        Alarm::Forged => dropped_hint(DropReason::Forged),
        Alarm::IdReused => "先前的请求有效；让发送方为每个请求使用新的 id",
        Alarm::UnannouncedLife => dropped_hint(DropReason::Unannounced),
        Alarm::SendFailed => "检查传输层；重要的内容会在对方再次询问时重发",
        Alarm::Deadlock => {
            "让本成员先就别人所等的请求作出决定，再重新请求；或用普通文本商定谁先进行"
        }
        Alarm::ReportLost => "用普通文本告知负责人工作结果",
        Alarm::ReportOverdue => {
            "询问该成员工作的进展，在此之前不要认定成功或失败；迟到的报告仍然有效"
        }
        Alarm::RefusedRepeatedly => {
            "查看最后一次的理由，再决定是等待、稍后再问，还是收回该成员手上的工作"
        }
        Alarm::Storm => "查看它的程序或传输层是否陷入循环；新的消息仍会送达",
    }
}
