/** Part C: four harder cases, played by a second team. */

import { approve, reject } from "team-protocols";
import { begin, leave } from "./exercises.mjs";
import { expect } from "./stage.mjs";

/** How long a frame takes where two members ask in the same instant. */
const TRAVEL_MS = 20;

/** Plays them in order. */
export async function cases(stage, cast) {
  stage.timeline.part(stage.words.partC);
  stage.timeline.note(stage.words.secondTeam);
  await quorum(stage, cast);
  await appeal(stage, cast);
  await deadlock(stage, cast);
  await rollback(stage, cast);
}

async function quorum(stage, cast) {
  const { lead, model, qa, dba, ops, security } = cast;
  const said = stage.words.quorum;
  begin(stage, 9, "quorum");
  const stages = [
    { approvers: ["qa", "dba", "ops"], threshold: 2 },
    { approvers: ["security", "team-lead"], threshold: 1, veto: true },
  ];
  const outcome = stage.submits(model, said.plan, { stages });
  const { requestId } = outcome;
  await stage.pass(2_000);
  qa.respond(requestId, approve(said.qa));
  expect(lead.obligations().length, 0, "what the second stage owes before its turn");
  await stage.pass(1_000);
  ops.respond(requestId, approve(said.ops));
  expect(lead.obligations().length, 1, "what the second stage owes, without the vote of dba");
  await stage.pass(1_000);
  dba.respond(requestId, reject(said.dba));
  expect(model.request(requestId)?.status, "pending", "the plan after a vote that came too late");
  await stage.pass(2_000);
  security.respond(requestId, reject(said.security));
  const { status, by, votes } = await outcome;
  expect(`${status} by ${by}`, "rejected by security", "the plan after the veto");
  expect(votes.map(asText).join(), "qa +,ops +,dba - late,security -", "the votes");
  await stage.pass(4_000);
  await unreachable(stage, cast, requestId);
}

/** Two of two must say yes, and one of them goes. */
async function unreachable(stage, { model, qa, dba }, requestId) {
  const { words } = stage;
  const stages = [{ approvers: ["qa", "dba"], threshold: 2 }];
  const follows = { requestId, as: "revision" };
  const outcome = stage.submits(model, words.quorum.changed, { stages, follows });
  await stage.pass(1_000);
  qa.respond(outcome.requestId, approve(words.quorum.qa));
  await stage.pass(1_000);
  leave(stage, dba);
  stage.host(model, words.gone("dba"));
  model.memberGone("dba");
  const { status, cause } = await outcome;
  expect(`${status} ${cause}`, "cancelled quorum_unreachable", "the plan without dba");
  await stage.pass(5_000);
}

function asText({ by, vote, counted }) {
  const sign = { approve: "+", reject: "-", gone: "gone" }[vote];
  return `${by} ${sign}${counted ? "" : " late"}`;
}

async function appeal(stage, { lead, interface: worker }) {
  const { words } = stage;
  const said = words.appeal;
  begin(stage, 10, "appeal");
  const first = stage.submits(worker, said.plan);
  const [{ request: asked }] = lead.obligations();
  await stage.pass(2_000);
  lead.respond(first.requestId, reject(said.no));
  expect((await first).status, "rejected", "the plan at first");
  await stage.pass(1_000);
  stage.host(worker, said.again);
  await stage.askRefused(worker, "already_rejected", () => worker.submitPlan(said.plan));
  await stage.pass(2_000);
  const follows = { requestId: first.requestId, as: "appeal", justification: said.justification };
  const second = stage.submits(worker, said.plan, { follows });
  const [{ request }] = lead.obligations();
  expect(request.follows?.requestId, first.requestId, "what the appeal goes on from");
  expect(request.digest, asked.digest, "the digest of the same plan");
  stage.host(lead, words.lineage(request));
  await stage.pass(2_000);
  lead.respond(second.requestId, approve(said.yes));
  expect((await second).status, "approved", "the appeal");
  expect(worker.outcome(first.requestId)?.status, "rejected", "the first decision, as it was");
  const permit = stage.enters(worker, said.action);
  expect(permit.requestId, second.requestId, "what opened the gate");
  await stage.pass(5_000);
}

async function deadlock(stage, { interface: one, model: other, ...rest }) {
  begin(stage, 11, "deadlock");
  const team = [one, other, ...Object.values(rest)];
  await formsUnderWay(stage, one, other);
  await knownBefore(stage, one, other);
  await byRole(stage, one, other);
  const alarms = team.flatMap((engine) => engine.audit()).filter(({ code }) => code === "deadlock");
  expect(alarms.length, 1, "the alarms of deadlocks");
}

/** Neither knows of the other's request when it asks. */
async function formsUnderWay(stage, one, other) {
  const { words, timeline } = stage;
  timeline.note(words.deadlock.sameInstant);
  stage.travel = TRAVEL_MS;
  const begun = stage.now;
  const asked = [
    stage.waits(one, other, words.deadlock.fields),
    stage.waits(other, one, words.deadlock.signature),
  ];
  const { expiresAt } = one.request(asked[0].requestId);
  await stage.pass(1_000);
  stage.travel = 0;
  const broken = asked.filter(({ from, requestId }) => from.outcome(requestId) !== undefined);
  expect(broken.length, 1, "the victims of the circle");
  const [victim] = broken;
  const survivor = asked.find((request) => request !== victim);
  const { status, cause, settledAt } = await victim.outcome;
  expect(`${status} ${cause}`, "cancelled deadlock_broken", "the victim");
  stage.host(victim.from, words.freeAfter(settledAt - begun, words.seconds(expiresAt - begun)));
  expect(survivor.from.request(survivor.requestId)?.status, "pending", "the other request");
  await decided(stage, survivor);
  const { from, to, on } = victim;
  const follows = { requestId: victim.requestId, as: "retry" };
  await decided(stage, stage.waits(from, to, on, follows));
  await stage.pass(3_000);
}

/** What a member waits for is there a while later. */
async function decided(stage, { to, requestId, on, outcome }) {
  await stage.pass(1_000);
  to.respond(requestId, approve(stage.words.deadlock.ready(on)));
  expect((await outcome).status, "approved", `what waited for ${to.member}`);
}

/** A member that waits for the one that it answers to would never be answered. */
async function knownBefore(stage, one, other) {
  const { words, timeline } = stage;
  timeline.note(words.deadlock.knownBefore);
  const waiting = stage.waits(other, one, words.deadlock.errors);
  await stage.pass(1_000);
  stage.host(one, words.waitsFor(other.member, words.deadlock.texts));
  const ask = () => one.ask("dependency", other.member, { payload: { on: words.deadlock.texts } });
  await stage.askRefused(one, "would_deadlock", ask);
  await decided(stage, waiting);
  await stage.pass(3_000);
}

/** A question that the roles forbid never makes anybody wait. */
async function byRole(stage, one, other) {
  const { words, timeline } = stage;
  timeline.note(words.deadlock.byRole);
  const stages = [{ approvers: [other.member], threshold: 1 }];
  stage.host(one, words.submits({ stages }));
  await stage.askRefused(one, "not_allowed", () => one.submitPlan(words.deadlock.plan, { stages }));
  for (const engine of [one, other]) {
    expect(engine.obligations().length, 0, `what ${engine.member} owes after a refusal by role`);
  }
  timeline.remark(words.deadlock.nobodyWaits);
  await stage.pass(5_000);
}

async function rollback(stage, { lead, model }) {
  const { words } = stage;
  const said = words.rollback;
  begin(stage, 12, "rollback");
  const table = { rows: BEFORE };
  const runs = [];
  model.onWork("load", (work) => {
    runs.push(work.name);
    stage.host(model, words.works(work));
    stage.enters(model, said.action);
    table.rows += LOADED;
    throw new Error(said.full(table.rows));
  });
  model.onWork("restore", (work) => {
    runs.push(work.name);
    stage.host(model, words.works(work));
    table.rows = BEFORE;
    return said.restored(table.rows);
  });
  const seen = [];
  lead.subscribe((event) => event.type === "report" && seen.push(event));
  const outcome = stage.submits(model, said.plan, { onApproved: "load", compensation: "restore" });
  const { requestId } = outcome;
  await stage.pass(2_000);
  lead.respond(requestId, approve(said.yes));
  expect((await outcome).status, "approved", "the plan to load");
  await stage.pass(1_000);
  expect(runs.join(), "load", "what ran before the report");
  model.report(requestId, { ok: false, detail: said.full(table.rows) });
  await stage.pass(1_000);
  stage.host(model, said.once);
  stage.refused(model, "already_answered", () => model.report(requestId, { ok: false }));
  await stage.pass(20_000);
  expect(runs.join(), "load,restore", "what ran in all");
  expect(table.rows, BEFORE, "the rows after the rollback");
  const reported = seen.map(({ ok, rolledBack }) => `${ok} ${rolledBack}`);
  expect(reported.join(), "false undefined,false true", "the reports to the lead");
  stage.denied(model, said.action, "gate_no_plan");
}

/** The rows of the table in the last scene, and how many more there are when its disk is full. */
const BEFORE = 1_200;
const LOADED = 350;
