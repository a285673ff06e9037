//! What is kept of an engine, as JavaScript calls it.

use wasm_bindgen::prelude::wasm_bindgen;

use super::engine::{WasmEngine, clock, id_source};
use super::result::finish;
use super::room::with_room;
use crate::engine::{Engine, Saved};
use crate::error::{Misuse, ProtocolError};
use crate::ids::MemberName;
use crate::message::Lang;
use crate::wire::json::to_string as json;
use crate::wire::{DecodeError, cut};

#[wasm_bindgen(js_class = RawEngine)]
impl WasmEngine {
    /// `restore`: member, snapshot, journal, seed. The result is how it went (JSON).
    pub fn restore(
        &mut self,
        now: f64,
        member: u32,
        snapshot: u32,
        journal: u32,
        seed: u32,
        zh: bool,
    ) -> u32 {
        self.lang = if zh { Lang::Zh } else { Lang::En };
        with_room(|texts, output| {
            let member = texts.text(member);
            let (snapshot, journal) = (texts.next(snapshot), texts.text(journal));
            let (saved, seed) = (Saved { snapshot, journal }, texts.next(seed));
            let opened = clock(now).and_then(|now| {
                let ids = id_source(seed)?;
                let (engine, restored) = Engine::restore(now, &name(member)?, saved, ids)?;
                Ok((engine, json(&restored)))
            });
            self.opened(opened, output)
        })
    }

    /// `replay`: snapshot, journal. The result is how it went (JSON).
    pub fn replay(&mut self, snapshot: u32, journal: u32, zh: bool) -> u32 {
        self.lang = if zh { Lang::Zh } else { Lang::En };
        with_room(|texts, output| {
            let (snapshot, journal) = (texts.next(snapshot), texts.text(journal));
            let opened = Engine::replay(Saved { snapshot, journal });
            self.opened(opened.map(|(engine, restored)| (engine, json(&restored))), output)
        })
    }

    /// `snapshot`; `pending` when JavaScript holds effects that it has not handed over.
    pub fn snapshot(&self, pending: bool) -> u32 {
        with_room(|_, output| {
            let engine = self.engine.as_ref().ok_or(Misuse::Closed);
            let engine = engine
                .and_then(|engine| if pending { Err(Misuse::EffectsPending) } else { Ok(engine) });
            let snapshot = engine.map_err(Into::into).and_then(Engine::snapshot);
            finish(self.lang, snapshot, output)
        })
    }

    /// `released`.
    pub fn released(&mut self, n: f64) {
        if let Some(engine) = &mut self.engine {
            engine.released(n as u64);
        }
    }
}

fn name(text: &str) -> Result<MemberName, ProtocolError> {
    MemberName::parse(text).map_err(|why| {
        let (path, found) = ("options.member".to_owned(), cut(text));
        Misuse::BadOption { why: DecodeError::InvalidName { path, found, why } }.into()
    })
}
