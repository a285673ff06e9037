//! The engine as JavaScript calls it.
//!
//! Every method reads its texts from the room by their lengths, calls the core once, and leaves
//! the result and all effects in the room. It returns 0, or 1 with the error as the
//! result; `receive` returns what became of the frame.

use wasm_bindgen::prelude::wasm_bindgen;

use super::kinds::{kind_of, scope_of};
use super::options::{EngineOptions, MemberOptions, ask_options, life, span};
use super::random::RandomIds;
use super::result::{Called, became, drain, finish};
use super::room::{Output, Texts, with_room};
use crate::engine::{Disposition, Engine, Response, SectionId, SectionPolicy, Sender};
use crate::error::{Lang, Misuse, ProtocolError};
use crate::gate::Permit;
use crate::ids::{IdSource, SeededIds};
use crate::message::{Details, Uses};
use crate::time::Timestamp;
use crate::wire::json::to_string as json;
use crate::wire::{self, DecodeError, JsonType, Shape};

/// An engine.
#[wasm_bindgen(js_name = RawEngine)]
pub struct WasmEngine {
    /// `None` until the options were accepted.
    pub(super) engine: Option<Engine>,
    pub(super) lang: Lang,
}

#[wasm_bindgen(js_class = RawEngine)]
impl WasmEngine {
    /// An engine that waits for its options.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "wasm-bindgen makes the constructor of it")]
    pub fn new() -> Self {
        Self { engine: None, lang: Lang::En }
    }

    /// Takes the options (JSON).
    pub fn open(&mut self, now: f64, options: u32) -> u32 {
        with_room(|texts, output| {
            let options = EngineOptions::parse(texts.text(options), &mut self.lang);
            let result = options.and_then(|options| {
                let now = clock(now)?;
                let mut ids = id_source(options.seed.as_deref())?;
                let nonce = ids.random_u128() as u64;
                Engine::new(now, options.config(now, nonce), ids)
            });
            self.opened(result.map(|engine| (engine, String::new())), output)
        })
    }

    /// `request_shutdown`: recipient, reason, follows and work (JSON).
    #[wasm_bindgen(js_name = requestShutdown)]
    pub fn request_shutdown(
        &mut self,
        now: f64,
        to: u32,
        reason: u32,
        more: u32,
        timeout: Option<f64>,
        cap: Option<f64>,
    ) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (to, reason) = (texts.text(to), texts.owned(reason));
            let options = ask_options(timeout, cap, texts.next(more))?;
            let id = engine.request_shutdown(now, to, reason, options)?;
            Ok(id.as_str().to_owned())
        })
    }

    /// `submit_plan`: the plan (JSON), stages, follows and works (JSON).
    #[wasm_bindgen(js_name = submitPlan)]
    pub fn submit_plan(
        &mut self,
        now: f64,
        plan: u32,
        more: u32,
        once: bool,
        timeout: Option<f64>,
        cap: Option<f64>,
    ) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (plan, more) = (texts.text(plan), texts.next(more));
            let plan = wire::decode_plan(plan, engine.limits())?;
            let uses = if once { Uses::Once } else { Uses::UntilReport };
            let options = ask_options(timeout, cap, more)?;
            let id = engine.submit_plan(now, plan, uses, options)?;
            Ok(id.as_str().to_owned())
        })
    }

    /// `ask_for`: kind, recipient, payload (JSON), scope (JSON), stages, follows and
    /// works (JSON).
    #[wasm_bindgen(js_name = askFor)]
    #[expect(clippy::too_many_arguments, reason = "JavaScript hands over numbers")]
    pub fn ask_for(
        &mut self,
        now: f64,
        kind: u32,
        to: u32,
        payload: u32,
        scope: u32,
        more: u32,
        once: bool,
        timeout: Option<f64>,
        cap: Option<f64>,
    ) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (kind, to) = (texts.text(kind), texts.text(to));
            let kind = kind_of(kind)?;
            let (payload, scope) = (texts.next(payload), texts.next(scope));
            let options = ask_options(timeout, cap, texts.next(more))?;
            let read = |json| wire::decode_payload(json, engine.limits());
            let payload = payload.map(read).transpose()?;
            let scope = scope.map(scope_of).transpose()?.unwrap_or_default();
            let uses = if once { Uses::Once } else { Uses::UntilReport };
            let details = Details { payload, scope, uses };
            let id = engine.ask_for(now, &kind, to, details, options)?;
            Ok(id.as_str().to_owned())
        })
    }

    /// `respond`: id, reason, payload (JSON).
    pub fn respond(
        &mut self,
        now: f64,
        id: u32,
        reason: u32,
        payload: u32,
        approve: bool,
        retry_after: Option<f64>,
    ) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (id, reason) = (texts.text(id), texts.owned(reason));
            let payload = texts.next(payload);
            let read = |json| wire::decode_payload(json, engine.limits());
            let payload = payload.map(read).transpose()?;
            let retry_after = span(retry_after, "retryAfterMs")?;
            let id = engine.respond(now, id, Response { approve, reason, retry_after, payload })?;
            Ok(id.as_str().to_owned())
        })
    }

    /// `cancel`: id.
    pub fn cancel(&mut self, now: f64, id: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            Ok(engine.cancel(now, texts.text(id))?.as_str().to_owned())
        })
    }

    /// `pause`: id.
    pub fn pause(&mut self, now: f64, id: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            Ok(engine.pause(now, texts.text(id))?.as_str().to_owned())
        })
    }

    /// `resume`: id.
    pub fn resume(&mut self, now: f64, id: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            Ok(engine.resume(now, texts.text(id))?.as_str().to_owned())
        })
    }

    /// `report`: id, detail.
    pub fn report(&mut self, now: f64, id: u32, detail: u32, ok: bool) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (id, detail) = (texts.text(id), texts.owned(detail));
            Ok(engine.report(now, id, ok, detail)?.as_str().to_owned())
        })
    }

    /// `say`: recipient, text.
    pub fn say(&mut self, now: f64, to: u32, text: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (to, text) = (texts.text(to), texts.text(text));
            Ok(engine.say(now, to, text)?.to_string())
        })
    }

    /// `progress`: id, note.
    pub fn progress(&mut self, now: f64, id: u32, note: u32, busy_for: Option<f64>) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (id, note) = (texts.next(id), texts.owned(note));
            engine.progress(now, id, note, span(busy_for, "busyForMs")?)?;
            Ok(String::new())
        })
    }

    /// `idle`: note.
    pub fn idle(&mut self, now: f64, note: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            engine.idle(now, texts.owned(note))?;
            Ok(String::new())
        })
    }

    /// `exit`.
    pub fn exit(&mut self, now: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.exit(now)?;
            Ok(String::new())
        })
    }

    /// `call_tool`: what the model wrote. The result is JSON.
    #[wasm_bindgen(js_name = callTool)]
    pub fn call_tool(&mut self, now: f64, input: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let outcome = engine.call_tool(now, texts.text(input))?;
            Ok(json(&outcome))
        })
    }

    /// `enter_gate`: action. The result is the permit, a space, and the id of the plan.
    #[wasm_bindgen(js_name = enterGate)]
    pub fn enter_gate(&mut self, now: f64, action: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (permit, id) = engine.enter_gate(now, texts.text(action))?;
            Ok(format!("{} {id}", permit.0))
        })
    }

    /// `start_failed`.
    #[wasm_bindgen(js_name = startFailed)]
    pub fn start_failed(&mut self, now: f64, permit: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.start_failed(now, Permit(permit as u64))?;
            Ok(String::new())
        })
    }

    /// `enter_section`: name. The result is its id.
    #[wasm_bindgen(js_name = enterSection)]
    pub fn enter_section(&mut self, now: f64, name: u32, eta: Option<f64>, defer: bool) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let policy = if defer { SectionPolicy::Defer } else { SectionPolicy::Reject };
            let eta = span(eta, "etaMs")?;
            Ok(engine.enter_section(now, texts.text(name), eta, policy)?.0.to_string())
        })
    }

    /// `leave_section`.
    #[wasm_bindgen(js_name = leaveSection)]
    pub fn leave_section(&mut self, now: f64, id: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.leave_section(now, SectionId(id as u64))?;
            Ok(String::new())
        })
    }

    /// `add_member`: the member (JSON).
    #[wasm_bindgen(js_name = addMember)]
    pub fn add_member(&mut self, now: f64, member: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            engine.add_member(now, &MemberOptions::parse(texts.text(member))?)?;
            Ok(String::new())
        })
    }

    /// `announce`: name, incarnation.
    pub fn announce(&mut self, now: f64, name: u32, incarnation: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            let (name, life) = (texts.text(name), life(texts.text(incarnation))?);
            engine.announce(now, name, life)?;
            Ok(String::new())
        })
    }

    /// `member_gone`: name.
    #[wasm_bindgen(js_name = memberGone)]
    pub fn member_gone(&mut self, now: f64, name: u32) -> u32 {
        self.call(now, &mut |engine, now, texts| {
            engine.member_gone(now, texts.text(name))?;
            Ok(String::new())
        })
    }

    /// `handle_frame`: frame, and who sent it by the word of the transport.
    pub fn receive(&mut self, now: f64, frame: u32, from: u32) -> u32 {
        self.take_in(now, &mut |engine, now, texts| {
            let (frame, from) = (texts.text(frame), texts.next(from));
            engine.handle_frame(now, frame, sender(from))
        })
    }

    /// A frame that is larger than the limit, or no well-formed text; JavaScript kept it. `what`:
    /// 0 too large (`number` bytes at least), 1 a lone surrogate (at `number`), else no text.
    #[wasm_bindgen(js_name = receiveBroken)]
    pub fn receive_broken(&mut self, now: f64, what: u32, number: u32, from: u32) -> u32 {
        self.take_in(now, &mut |engine, now, texts| {
            let limit = engine.limits().frame_bytes;
            let error = match what {
                0 => DecodeError::TooLarge { bytes: number as usize, limit },
                1 => DecodeError::LoneSurrogate { at: number as usize },
                _ => {
                    let (path, expected) = ("frame".to_owned(), Shape::Text);
                    DecodeError::WrongType { path, expected, found: JsonType::Object }
                }
            };
            engine.handle_undecodable(now, error, sender(texts.next(from)))
        })
    }

    /// `handle_deadline`.
    #[wasm_bindgen(js_name = handleDeadline)]
    pub fn handle_deadline(&mut self, now: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.handle_deadline(now);
            Ok(String::new())
        })
    }

    /// `handle_send_failed`.
    #[wasm_bindgen(js_name = handleSendFailed)]
    pub fn handle_send_failed(&mut self, now: f64, seq: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.handle_send_failed(now, seq as u64);
            Ok(String::new())
        })
    }

    /// `close`.
    pub fn close(&mut self, now: f64) -> u32 {
        self.call(now, &mut |engine, now, _| {
            engine.close(now);
            Ok(String::new())
        })
    }

    /// `poll_deadline`.
    #[wasm_bindgen(js_name = pollDeadline)]
    #[must_use]
    pub fn poll_deadline(&self) -> Option<f64> {
        let deadline = self.engine.as_ref().and_then(Engine::poll_deadline);
        deadline.map(|at| at.as_ms() as f64)
    }

    /// The longest frame in bytes, so that larger ones need not cross the boundary.
    #[wasm_bindgen(js_name = frameLimit)]
    #[must_use]
    pub fn frame_limit(&self) -> f64 {
        self.engine.as_ref().map_or(0.0, |engine| engine.limits().frame_bytes as f64)
    }

    /// A view as JSON: 0 team, 1 obligations, 2 audit, 3 open critical sections.
    pub fn view(&self, what: u32) -> u32 {
        self.read(&mut |engine, _| match what {
            0 => json(&engine.team()),
            1 => json(&engine.obligations()),
            2 => json(&engine.audit().collect::<Vec<_>>()),
            _ => json(&engine.sections().collect::<Vec<_>>()),
        })
    }

    /// One request as JSON, or `null`: 0 as a view, 1 its outcome. Reads the id.
    pub fn request(&self, what: u32, id: u32) -> u32 {
        self.read(&mut |engine, texts| match what {
            0 => json(&engine.request(texts.text(id))),
            _ => json(&engine.outcome_of(texts.text(id))),
        })
    }

    /// A text: 0 incarnation, 1 state hash, 2 liveness, 3 role, 4 member.
    pub fn text(&self, what: u32) -> u32 {
        self.read(&mut |engine, _| match what {
            0 => engine.incarnation().to_string(),
            1 => engine.state_hash().to_string(),
            2 => engine.presence().name().to_owned(),
            3 => engine.role().name().to_owned(),
            _ => engine.member().as_str().to_owned(),
        })
    }
}

impl WasmEngine {
    /// The engine begins to live.
    pub(super) fn opened(
        &mut self,
        opened: Result<(Engine, String), ProtocolError>,
        output: &mut Output,
    ) -> u32 {
        let result = opened.map(|(engine, text)| {
            self.engine = Some(engine);
            text
        });
        let status = finish(self.lang, result, output);
        if let Some(engine) = &mut self.engine {
            drain(engine, output);
        }
        status
    }

    /// Runs a call that only reads.
    pub(super) fn read(&self, run: &mut dyn FnMut(&Engine, &mut Texts<'_>) -> String) -> u32 {
        with_room(|texts, output| {
            let engine = self.engine.as_ref().ok_or_else(|| Misuse::Closed.into());
            finish(self.lang, engine.map(|engine| run(engine, texts)), output)
        })
    }

    /// Runs a call that may be refused.
    pub(super) fn call(
        &mut self,
        now: f64,
        run: &mut dyn FnMut(&mut Engine, Timestamp, &mut Texts<'_>) -> Called,
    ) -> u32 {
        let lang = self.lang;
        with_room(|texts, output| {
            let Some(engine) = &mut self.engine else {
                return finish(lang, Err(Misuse::Closed.into()), output);
            };
            let result = clock(now).and_then(|now| run(engine, now, texts));
            let status = finish(lang, result, output);
            drain(engine, output);
            status
        })
    }

    /// Runs a call that takes a frame in.
    fn take_in(
        &mut self,
        now: f64,
        run: &mut dyn FnMut(&mut Engine, Timestamp, &mut Texts<'_>) -> Disposition,
    ) -> u32 {
        let lang = self.lang;
        with_room(|texts, output| {
            let Some(engine) = &mut self.engine else {
                return finish(lang, Err(Misuse::Closed.into()), output);
            };
            let now = match clock(now) {
                Ok(now) => now,
                Err(error) => return finish(lang, Err(error), output),
            };
            let status = became(lang, run(engine, now, texts), output);
            drain(engine, output);
            status
        })
    }
}

pub(super) fn clock(now: f64) -> Result<Timestamp, ProtocolError> {
    Timestamp::from_host_clock(now).ok_or_else(|| Misuse::BadClock.into())
}

fn sender(from: Option<&str>) -> Sender<'_> {
    from.map_or(Sender::Unknown, Sender::Channel)
}

pub(super) fn id_source(seed: Option<&str>) -> Result<Box<dyn IdSource>, ProtocolError> {
    match seed {
        Some(seed) => Ok(Box::new(SeededIds::new(seed))),
        None => match RandomIds::new() {
            Ok(ids) => Ok(Box::new(ids)),
            Err(_) => Err(Misuse::NoRandomness.into()),
        },
    }
}
