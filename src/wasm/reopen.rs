//! Reopening a rejected plan, as JavaScript calls it.

use wasm_bindgen::prelude::wasm_bindgen;

use super::engine::WasmEngine;

#[wasm_bindgen(js_class = RawEngine)]
impl WasmEngine {
    /// `reopen`: id, reason.
    pub fn reopen(&mut self, now: f64, id: u32, reason: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (id, reason) = (texts.text(id), texts.owned(reason));
            Ok(engine.reopen(now, id, reason)?.as_str().to_owned())
        })
    }
}
