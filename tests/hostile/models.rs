//! What models write as tool input that must do nothing: the code, who writes, the input.

use crate::harness::LEAD;

pub(crate) const MODELS: &[(&str, &str, &str)] = &[
    ("not_json", "alice", ""),
    ("not_json", "alice", "I approve {$SHUTDOWN}"),
    ("not_an_object", "alice", "[]"),
    ("missing_field", "alice", r#"{"to":"team-lead"}"#),
    ("invalid_name", "alice", r#"{"to":"bob ","message":"done"}"#),
    ("unknown_recipient", "alice", r#"{"to":"teamlead","message":"done"}"#),
    ("to_oneself", "alice", r#"{"to":"alice","message":{"type":"shutdown_request"}}"#),
    ("broadcast", LEAD, r#"{"to":"*","message":{"type":"shutdown_request"}}"#),
    ("not_allowed", "alice", r#"{"to":"bob","message":{"type":"shutdown_request"}}"#),
    ("not_allowed", "alice", r#"{"to":"team-lead","message":{"type":"shutdown_request"}}"#),
    (
        "response_not_to_lead",
        "alice",
        r#"{"to":"bob","message":{"type":"shutdown_response","request_id":"$SHUTDOWN","approve":true}}"#,
    ),
    (
        "reason_required",
        "alice",
        r#"{"to":"team-lead","message":{"type":"shutdown_response","request_id":"$SHUTDOWN","approve":false,"reason":" "}}"#,
    ),
    (
        "invalid_boolean",
        "alice",
        r#"{"to":"team-lead","message":{"type":"shutdown_response","request_id":"$SHUTDOWN","approve":"ok"}}"#,
    ),
    (
        "unknown_request",
        "alice",
        r#"{"to":"team-lead","message":{"type":"shutdown_response","request_id":"req_made_up","approve":true}}"#,
    ),
    (
        "unknown_request",
        "bob",
        r#"{"to":"team-lead","message":{"type":"shutdown_response","request_id":"$SHUTDOWN","approve":true}}"#,
    ),
    (
        "unknown_request",
        "bob",
        r#"{"to":"alice","message":{"type":"plan_approval_response","request_id":"$PLAN","approve":true}}"#,
    ),
    (
        "unknown_request",
        "alice",
        r#"{"to":"team-lead","message":{"type":"plan_approval_response","request_id":"$PLAN","approve":true}}"#,
    ),
    (
        "unknown_request",
        "ann",
        r#"{"to":"alice","message":{"type":"plan_approval_response","request_id":"$PLAN","approve":true}}"#,
    ),
    (
        "reason_required",
        LEAD,
        r#"{"to":"alice","message":{"type":"plan_approval_response","request_id":"$PLAN","approve":false}}"#,
    ),
    (
        "not_allowed",
        LEAD,
        r#"{"to":"alice","message":{"type":"shutdown_response","request_id":"$PLAN","approve":true}}"#,
    ),
    ("unknown_type", LEAD, r#"{"to":"alice","message":{"type":"terminate"}}"#),
    ("duplicate_field", LEAD, r#"{"to":"alice","to":"bob","message":"x"}"#),
];
