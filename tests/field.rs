//! What models really write: every file in `tests/vectors/field` is read and judged as it says.
//!
//! The expectations are written by hand, from the habits that each file names as its source.

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use serde_json::{Map, Value, json};
    use team_protocols::Recipient;
    use team_protocols::{BooleanPolicy, Limits};
    use team_protocols::{DecodeError, Note, ToolCall, ToolMessage, decode_tool_call};

    #[test]
    fn every_recorded_habit_is_understood_or_refused_as_written() {
        let vectors = vectors();
        assert!(vectors.len() > 100, "{} files", vectors.len());
        for (name, vector) in vectors {
            let expected = sorted(vector["expect"].clone());
            assert_eq!(sorted(outcome(&text(&vector["input"]))), expected, "{name}");
        }
    }

    #[test]
    fn every_vector_names_its_source_and_holds_nothing_else() {
        for (name, vector) in vectors() {
            let fields: Vec<_> = vector.as_object().unwrap().keys().collect();
            assert_eq!(fields, ["expect", "input", "source"], "{name}");
            assert!(vector["source"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        }
    }

    #[test]
    fn every_kind_of_refusal_that_a_model_can_cause_is_recorded() {
        let recorded: Vec<String> = vectors()
            .iter()
            .filter_map(|(_, vector)| Some(vector["expect"]["error"].as_str()?.to_owned()))
            .collect();
        for code in [
            "ambiguous",
            "duplicate_field",
            "invalid_boolean",
            "invalid_choice",
            "invalid_name",
            "invalid_number",
            "lone_surrogate",
            "missing_field",
            "nested_too_often",
            "not_an_object",
            "not_json",
            "unknown_field",
            "unknown_type",
            "wrong_type",
        ] {
            assert!(recorded.iter().any(|other| other == code), "{code}");
        }
    }

    #[test]
    fn strictly_read_no_quoted_boolean_passes() {
        for (name, vector) in vectors() {
            let strict = decode_tool_call(
                &text(&vector["input"]),
                &Limits::default(),
                BooleanPolicy::Strict,
            );
            let coerced = |note: &Note| matches!(note, Note::BooleanFromText { .. });
            let none = strict.map(|call| !call.notes.iter().any(coerced));
            assert!(none.unwrap_or(true), "{name}");
        }
    }

    #[test]
    fn the_story_of_the_demo_is_there_in_both_languages() {
        let names: Vec<_> = vectors().into_iter().map(|(name, _)| name).collect();
        for scene in [
            "lead-requests-shutdown",
            "alice-approves-shutdown",
            "alice-refuses-shutdown",
            "bob-submits-plan",
            "lead-rejects-bob",
            "charlie-submits-plan",
            "lead-approves-charlie",
        ] {
            for end in ["json", "zh.json"] {
                let name = format!("demo-{scene}.{end}");
                assert!(names.contains(&name), "{name}");
            }
        }
    }

    fn vectors() -> Vec<(String, Value)> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/field");
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "json"));
        files.sort();
        let read = |file: PathBuf| {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let vector = serde_json::from_str(&fs::read_to_string(file).unwrap());
            (name.clone(), vector.expect(&name))
        };
        files.into_iter().map(read).collect()
    }

    /// The input as the tool gets it: an object as JSON text, a text as it is.
    fn text(input: &Value) -> String {
        input.as_str().map_or_else(|| input.to_string(), str::to_owned)
    }

    fn outcome(text: &str) -> Value {
        match decode_tool_call(text, &Limits::default(), BooleanPolicy::Semantic) {
            Ok(ToolCall { to, message, notes }) => json!({
                "to": to.as_ref().map(Recipient::as_str),
                "message": shown(&message),
                "notes": notes.iter().map(shown_note).collect::<Vec<_>>(),
            }),
            Err(error) => json!({ "error": code(&error), "path": error.path() }),
        }
    }

    /// Objects of `serde_json` are sorted; the order of notes says nothing either.
    fn sorted(mut outcome: Value) -> Value {
        if let Some(notes) = outcome.get_mut("notes").and_then(Value::as_array_mut) {
            notes.sort_by_key(Value::to_string);
        }
        outcome
    }

    fn shown_note(note: &Note) -> Value {
        match note {
            Note::UnknownField { path } => json!({ "note": "unknown_field", "path": path }),
            Note::BooleanFromText { path, found } => {
                json!({ "note": "boolean_from_text", "path": path, "found": found })
            }
            Note::Alias { path, canonical } => {
                json!({ "note": "alias", "path": path, "canonical": canonical })
            }
            Note::Unwrapped { path } => json!({ "note": "unwrapped", "path": path }),
            Note::TextFromSummary => json!({ "note": "text_from_summary", "path": note.path() }),
        }
    }

    /// The message as it would be written, without what is absent.
    fn shown(message: &ToolMessage) -> Value {
        let all = match message {
            ToolMessage::Text { text, summary } => {
                json!({ "type": "text", "text": text, "summary": summary })
            }
            ToolMessage::ShutdownRequest { reason } => {
                json!({ "type": "shutdown_request", "reason": reason })
            }
            ToolMessage::ShutdownResponse { request_id, approve, reason, retry_after_ms } => {
                json!({
                    "type": "shutdown_response", "request_id": request_id, "approve": approve,
                    "reason": reason, "retry_after_ms": retry_after_ms,
                })
            }
            ToolMessage::PlanApprovalRequest { plan, uses } => {
                json!({ "type": "plan_approval_request", "plan": plan, "uses": uses })
            }
            ToolMessage::PlanApprovalResponse { request_id, approve, feedback } => json!({
                "type": "plan_approval_response", "request_id": request_id, "approve": approve,
                "feedback": feedback,
            }),
            ToolMessage::Request { kind, details } => json!({
                "type": "request", "kind": kind, "payload": payload(details.payload.as_ref()),
                "scope": details.scope, "uses": details.uses,
            }),
            ToolMessage::Response {
                request_id,
                kind,
                approve,
                reason,
                retry_after,
                payload: p,
            } => {
                json!({
                    "type": "response", "request_id": request_id, "kind": kind, "approve": approve,
                    "reason": reason, "retry_after_ms": retry_after, "payload": payload(p.as_ref()),
                })
            }
            ToolMessage::ExecutionReport { request_id, ok, detail } => json!({
                "type": "execution_report", "request_id": request_id, "ok": ok, "detail": detail,
            }),
            ToolMessage::Progress { request_id, note, busy_for_ms } => json!({
                "type": "progress", "request_id": request_id, "note": note,
                "busy_for_ms": busy_for_ms,
            }),
            ToolMessage::Cancel { request_id, reason } => {
                json!({ "type": "cancel", "request_id": request_id, "reason": reason })
            }
            ToolMessage::Reopen { request_id, reason } => {
                json!({ "type": "reopen", "request_id": request_id, "reason": reason })
            }
            ToolMessage::Exited { request_id } => {
                json!({ "type": "exited", "request_id": request_id })
            }
            ToolMessage::Idle { note } => json!({ "type": "idle", "note": note }),
        };
        let there = |(_, value): &(String, Value)| !value.is_null();
        let fields = all.as_object().cloned().unwrap_or_default();
        fields.into_iter().filter(there).collect::<Map<_, _>>().into()
    }

    fn payload(payload: Option<&team_protocols::Payload>) -> Value {
        payload.map_or(Value::Null, |json| serde_json::from_str(json.as_json()).unwrap())
    }

    fn code(error: &DecodeError) -> &'static str {
        match error {
            DecodeError::TooLarge { .. } => "too_large",
            DecodeError::NotJson { .. } => "not_json",
            DecodeError::LoneSurrogate { .. } => "lone_surrogate",
            DecodeError::TooDeep { .. } => "too_deep",
            DecodeError::TooManyItems { .. } => "too_many_items",
            DecodeError::DuplicateField { .. } => "duplicate_field",
            DecodeError::NotAnObject { .. } => "not_an_object",
            DecodeError::UnsupportedVersion { .. } => "unsupported_version",
            DecodeError::MissingField { .. } => "missing_field",
            DecodeError::WrongType { .. } => "wrong_type",
            DecodeError::UnknownType { .. } => "unknown_type",
            DecodeError::InvalidName { .. } => "invalid_name",
            DecodeError::InvalidId { .. } => "invalid_id",
            DecodeError::InvalidKind { .. } => "invalid_kind",
            DecodeError::InvalidIncarnation { .. } => "invalid_incarnation",
            DecodeError::InvalidDigest { .. } => "invalid_digest",
            DecodeError::InvalidNumber { .. } => "invalid_number",
            DecodeError::InvalidBoolean { .. } => "invalid_boolean",
            DecodeError::InvalidChoice { .. } => "invalid_choice",
            DecodeError::UnknownField { .. } => "unknown_field",
            DecodeError::Ambiguous { .. } => "ambiguous",
            DecodeError::NestedTooOften { .. } => "nested_too_often",
        }
    }
}
