//! Work that requests name, as JavaScript calls it.

use wasm_bindgen::prelude::wasm_bindgen;

use super::engine::WasmEngine;

#[wasm_bindgen(js_class = RawEngine)]
impl WasmEngine {
    /// `work_done`: id, detail.
    #[wasm_bindgen(js_name = workDone)]
    pub fn work_done(&mut self, now: f64, id: u32, detail: u32, run: f64, ok: bool) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (id, detail) = (texts.text(id), texts.owned(detail));
            Ok(engine.work_done(now, id, run as u32, ok, detail)?.as_str().to_owned())
        })
    }

    /// `work_started`: id.
    #[wasm_bindgen(js_name = workStarted)]
    pub fn work_started(&mut self, now: f64, id: u32, run: f64) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            Ok(engine.work_started(now, texts.text(id), run as u32)?.as_str().to_owned())
        })
    }

    /// `work_missing`: id.
    #[wasm_bindgen(js_name = workMissing)]
    pub fn work_missing(&mut self, now: f64, id: u32, run: f64) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            Ok(engine.work_missing(now, texts.text(id), run as u32)?.as_str().to_owned())
        })
    }

    /// `rerun`: id.
    pub fn rerun(&mut self, now: f64, id: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            Ok(engine.rerun(now, texts.text(id))?.as_str().to_owned())
        })
    }

    /// `interrupt_works`.
    #[wasm_bindgen(js_name = interruptWorks)]
    pub fn interrupt_works(&mut self, now: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.interrupt_works(now)?;
            Ok(String::new())
        })
    }
}
