//! Texts that cannot be read, as frames and as tool calls.

use serde_json::{Value, json};

use crate::harness::{Frame, LEAD, plan, tool};
use crate::{
    Code, Row, answer, asked, at_lead, from_alice, idle, judged, plan_answer, plan_request,
    refused, team,
};

pub(crate) const ROWS: &[Row] = &[
    ("ambiguous", || {
        called(json!({"to": LEAD, "message": {"type": "shutdown_response", "request_id": "r",
                                              "approve": true, "approved": false}}))
    }),
    ("duplicate_field", || text(&idle().text().replacen('{', r#"{"from":"bob","#, 1))),
    ("invalid_boolean", || {
        let (mut net, id) = asked();
        at_lead(&mut net, &answer(&id, true, 500).message("approve", json!("maybe")))
    }),
    ("invalid_choice", || frame(&plan_request("r", &plan(), 500).message("uses", json!("twice")))),
    ("invalid_digest", || {
        let bad = plan_answer("r", &plan()).message("digest", json!("sha256:0"));
        judged(&team().send(LEAD, "alice", &bad.text()))
    }),
    ("invalid_id", || frame(&answer("", true, 500))),
    ("invalid_incarnation", || frame(&idle().with("from_incarnation", json!("1")))),
    ("invalid_kind", || {
        let message = json!({"type": "request", "request_id": "r", "kind": "Data Sync"});
        frame(&from_alice(message))
    }),
    ("invalid_name", || frame(&idle().with("to", json!("team lead")))),
    ("invalid_number", || frame(&idle().with("seq", json!(1.5)))),
    ("lone_surrogate", || {
        let half = from_alice(json!("HALF")).text().replace("HALF", r"\ud83d");
        text(&half)
    }),
    ("missing_field", || frame(&idle().without("seq"))),
    ("nested_too_often", || {
        let object = json!({"to": LEAD, "message": "hello"}).to_string();
        called(Value::String(Value::String(object).to_string()))
    }),
    ("not_an_object", || text("[]")),
    ("not_json", || text("I approve.")),
    ("too_deep", || text(&"[".repeat(33))),
    ("too_large", || text(&"x".repeat(1_048_577))),
    ("too_many_items", || text(&format!("[{}1]", "1,".repeat(1_024)))),
    ("unknown_field", || {
        let mut request = plan_request("r", &plan(), 500);
        request.0["message"]["plan"]["budget"] = json!(7);
        frame(&request)
    }),
    ("unknown_type", || frame(&from_alice(json!({"type": "shutdown_approved"})))),
    ("unsupported_version", || frame(&idle().with("v", json!(2)))),
    ("wrong_type", || frame(&idle().with("seq", json!("500")))),
];

/// What the lead makes of a text on alice's channel.
fn text(text: &str) -> Code {
    judged(&team().send("alice", LEAD, text))
}

fn frame(frame: &Frame) -> Code {
    text(&frame.text())
}

/// What alice's engine makes of the input of a tool call.
fn called(input: Value) -> Code {
    refused(&tool(&mut team(), "alice", input))
}
