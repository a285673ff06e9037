//! One call for all workers, as JavaScript calls it.

use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use super::engine::WasmEngine;
use super::options::ask_options;
use super::result::{ErrorData, error_data};
use crate::engine::{Asking, WorkerAsked};
use crate::ids::RequestId;
use crate::message::Lang;
use crate::wire::json;

#[wasm_bindgen(js_class = RawEngine)]
impl WasmEngine {
    /// `shutdown_all`: reason, how to ask again (JSON). The result is JSON.
    #[wasm_bindgen(js_name = shutdownAll)]
    pub fn shutdown_all(
        &mut self,
        now: f64,
        reason: u32,
        more: u32,
        timeout: Option<f64>,
        cap: Option<f64>,
    ) -> u32 {
        let lang = self.lang;
        self.call(now, &mut |engine, now, texts| {
            let reason = texts.owned(reason);
            let options = ask_options(timeout, cap, texts.next(more))?;
            let workers = engine.shutdown_all(now, reason, options)?;
            let data: Vec<AskedData<'_>> =
                workers.iter().map(|worker| asked_data(worker, lang)).collect();
            Ok(json::to_string(&data))
        })
    }
}

/// What became of asking one worker, as JavaScript reads it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AskedData<'a> {
    member: &'a str,
    liveness: &'static str,
    asked: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorData<'a>>,
}

fn asked_data(worker: &WorkerAsked, lang: Lang) -> AskedData<'_> {
    let WorkerAsked { member, liveness, asked } = worker;
    let error = match asked {
        Asking::Refused(error) => Some(error_data(error, lang)),
        Asking::New(_) | Asking::Pending(_) | Asking::Agreed(_) => None,
    };
    AskedData {
        member: member.as_str(),
        liveness: liveness.name(),
        asked: asked.name(),
        request_id: asked.request_id().map(RequestId::as_str),
        error,
    }
}
