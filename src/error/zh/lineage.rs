//! 简体中文: why a request may not go on from earlier ones.

use crate::error::render::quoted;
use crate::error::{FollowError, LineageError};

pub(super) fn message(error: &LineageError) -> String {
    match error {
        LineageError::AlreadyRejected { request_id, reason } => {
            let id = quoted(request_id.as_str());
            match reason {
                Some(reason) => format!("同样的计划已在 {id} 中被拒绝：{}", quoted(reason)),
                None => format!("同样的计划已在 {id} 中被拒绝"),
            }
        }
        LineageError::CannotFollow { request_id, link, why } => {
            let (id, link) = (quoted(request_id.as_str()), link.name());
            match why {
                FollowError::Status { status } => {
                    format!("{id} 的状态是 {}，不能作 `{link}`", status.name())
                }
                FollowError::OtherContent => format!("对 {id} 的 `{link}` 应再次请求同样的内容"),
                FollowError::SameContent => format!("对 {id} 的 `{link}` 应请求不同的内容"),
                FollowError::SameJustification => {
                    format!("{id} 一系中已有 `{link}` 说过同样的理由")
                }
            }
        }
        LineageError::AppealsExhausted { limit } => format!("已申诉 {limit} 次，达到上限"),
        LineageError::LineageExhausted { limit } => {
            format!("前后相承的请求已有 {limit} 个，达到上限")
        }
    }
}

pub(super) const fn hint(error: &LineageError) -> &'static str {
    match error {
        LineageError::AlreadyRejected { .. } => {
            "按理由修改计划并作为修订提交，或以裁决未考虑的内容申诉一次"
        }
        LineageError::CannotFollow { .. } => {
            "重试用于失败或被拒绝的请求，申诉只用于被拒绝的请求且须有新内容，\
             修订用于未获批准的请求；否则提出新的请求"
        }
        LineageError::AppealsExhausted { .. } => "接受裁决，或提交按理由修改过的计划",
        LineageError::LineageExhausted { .. } => {
            "不要再请求，用普通文本告诉负责人是什么使它无法了结"
        }
    }
}
