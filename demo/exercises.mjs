/** Part A: the five exercises. */

import { expect } from "./stage.mjs";
import { showTeam } from "./table.mjs";
import { short } from "./timeline.mjs";

/** Plays them in order. */
export async function exercises(stage, cast) {
  stage.timeline.part(stage.words.partA);
  await shutdown(stage, cast);
  await table(stage, cast);
  await rejected(stage, cast);
  await approved(stage, cast);
  await team(stage, cast);
}

async function shutdown(stage, { lead, alice }) {
  begin(stage, 1, "shutdown");
  const { requestId } = stage.tool(lead, "lead-requests-shutdown");
  const outcome = lead.settled(requestId);
  await stage.pass(3_000);
  stage.tool(alice, "alice-approves-shutdown", requestId);
  expect((await outcome).status, "approved", "alice's shutdown");
  expect(livenessOf(lead, "alice"), "leaving", "alice after her yes");
  await stage.pass(2_000);
  leave(stage, alice);
  expect(livenessOf(lead, "alice"), "left", "alice after her exit");
  await stage.pass(5_000);
}

async function table(stage, { lead }) {
  begin(stage, 2, "table");
  showTeam(stage, lead);
}

async function rejected(stage, { lead, bob }) {
  begin(stage, 3, "rejected");
  const { requestId } = stage.tool(bob, "bob-submits-plan");
  const outcome = bob.settled(requestId);
  await stage.pass(2_000);
  stage.toolRefused(lead, "lead-rejects-bob-without-reason", "reason_required", requestId);
  expect(lead.request(requestId)?.status, "pending", "bob's plan after the refused answer");
  await stage.pass(1_000);
  stage.tool(lead, "lead-rejects-bob", requestId);
  expect((await outcome).status, "rejected", "bob's plan");
  await stage.pass(1_000);
  stage.denied(bob, "delete:src/legacy_auth/session.rs", "gate_no_plan");
  await stage.pass(5_000);
}

async function approved(stage, { lead, charlie }) {
  begin(stage, 4, "approved");
  const { requestId } = stage.tool(charlie, "charlie-submits-plan");
  const outcome = charlie.settled(requestId);
  await stage.pass(2_000);
  stage.tool(lead, "lead-approves-charlie", short(requestId));
  expect((await outcome).status, "approved", "charlie's plan");
  await stage.pass(1_000);
  const permit = stage.enters(charlie, "write:src/parser/errors.rs");
  expect(permit.requestId, requestId, "the plan that covers charlie's action");
  await stage.pass(4_000);
  stage.denied(charlie, "write:src/lexer/tokens.rs", "gate_out_of_scope");
  await stage.pass(6_000);
  stage.tool(charlie, "charlie-reports", requestId);
  await stage.pass(5_000);
}

async function team(stage, cast) {
  const { lead, bob, charlie, dave } = cast;
  begin(stage, 5, "team");
  const alice = stage.spawn("alice");
  cast.alice = alice;
  stage.host(lead, stage.words.respawn);
  for (const engine of [lead, bob, charlie, dave]) engine.announce("alice", alice.incarnation);
  await stage.pass(5_000);
  const asked = stage.tool(lead, "lead-requests-shutdown").requestId;
  const outcome = lead.settled(asked);
  await stage.pass(2_000);
  const plan = stage.tool(dave, "dave-submits-plan").requestId;
  await stage.pass(2_000);
  stage.timeline.line();
  showTeam(stage, lead);
  stage.timeline.line();
  stage.owes(lead);
  await stage.pass(1_000);
  stage.tool(alice, "alice-refuses-shutdown", asked);
  const { status, retryAfterMs } = await outcome;
  expect(status, "rejected", "alice's second shutdown");
  stage.tool(lead, "lead-approves-dave", plan);
  expect((await dave.settled(plan)).status, "approved", "dave's plan");
  await stage.pass(retryAfterMs);
}

/** Shows the head of a scene. */
export function begin(stage, number, name) {
  stage.timeline.scene(number, stage.words.scenes[name]);
}

/** A member's process ends: it confirms its exit, and its engine is closed. */
export function leave(stage, engine) {
  stage.host(engine, stage.words.exits);
  engine.exit();
  engine.close();
  stage.cutOff(engine.member);
}

/** How alive a member is, as another one sees it. */
export function livenessOf(engine, name) {
  return engine.team().find((member) => member.name === name)?.liveness;
}
