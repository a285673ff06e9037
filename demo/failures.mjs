/** Part B: the three failures. */

import { begin, leave, livenessOf } from "./exercises.mjs";
import { expect } from "./stage.mjs";
import { showTeam } from "./table.mjs";

/** Plays them in order. */
export async function failures(stage, cast) {
  stage.timeline.part(stage.words.partB);
  await section(stage, cast);
  await unplanned(stage, cast);
  await silent(stage, cast);
}

async function section(stage, { lead, alice }) {
  const { words } = stage;
  begin(stage, 6, "section");
  const etaMs = 8_000;
  const { name, leave: end } = alice.enterCriticalSection(words.sectionName, { etaMs });
  stage.host(alice, words.enters(name, words.seconds(etaMs)));
  await stage.pass(1_000);
  const first = await lead.settled(stage.tool(lead, "lead-requests-shutdown").requestId);
  expect(first.status, "rejected", "a shutdown in a critical section");
  expect(first.retryAfterMs, etaMs - 1_000, "when to ask again");
  const { marks } = alice.audit().findLast(({ verdict }) => verdict === "answered");
  expect(marks?.includes("critical_section"), true, "the mark of an engine's own answer");
  stage.host(alice, words.answeredFor("critical_section"));
  await stage.pass(first.retryAfterMs);
  end();
  stage.host(alice, words.leaves(name));
  stage.host(lead, words.waits(words.seconds(first.retryAfterMs)));
  const { requestId } = stage.tool(lead, "lead-requests-shutdown");
  await stage.pass(2_000);
  stage.tool(alice, "alice-approves-shutdown", requestId);
  expect((await lead.settled(requestId)).status, "approved", "the shutdown afterwards");
  await stage.pass(1_000);
  leave(stage, alice);
  expect(livenessOf(lead, "alice"), "left", "alice in the end");
  await stage.pass(5_000);
}

async function unplanned(stage, { charlie }) {
  begin(stage, 7, "unplanned");
  const error = stage.denied(charlie, "delete:vendor/openssl", "gate_no_plan");
  expect(error.hint.includes("delete:vendor/openssl"), true, "the next step names the action");
  await stage.pass(5_000);
}

async function silent(stage, { lead, bob, dave }) {
  const { words, timeline } = stage;
  begin(stage, 8, "silent");
  stage.enters(dave, "write:migrations/0042_queue.sql");
  await stage.pass(2_000);
  stage.host(dave, words.hangs);
  stage.cutOff("dave");
  await stage.pass(3_000);
  const asked = stage.now;
  const { requestId } = stage.tool(lead, "lead-asks-dave-to-leave");
  const outcome = lead.settled(requestId).then((settled) => {
    timeline.host(
      stage.now,
      "team-lead",
      words.released(settled.status, words.seconds(stage.now - asked)),
    );
    return settled;
  });
  await stage.pass(20_000);
  stage.tool(lead, "lead-writes-to-bob");
  await stage.pass(40_000);
  const { status, code } = await outcome;
  expect(status, "timed_out", "the request to a silent worker");
  expect(code, "TIMEOUT_REJECTED", "the code of the timeout");
  await stage.pass(5_000);
  expect(livenessOf(lead, "dave"), "lost", "dave after the grace");
  expectAlarms(lead, ["worker_lost", "reclaim"]);
  stage.host(lead, words.mailbox(stage.waiting("dave"), "dave"));
  await stage.pass(2_000);
  stage.toolRefused(lead, "lead-asks-dave-to-leave", "recipient_lost");
  expect(livenessOf(lead, bob.member), "active", "bob meanwhile");
  timeline.line();
  showTeam(stage, lead);
}

function expectAlarms(engine, names) {
  const alarms = engine.audit().filter(({ verdict }) => verdict === "alarm");
  expect(alarms.map(({ code }) => code).join(" "), names.join(" "), "the alarms");
}
