// A strict consumer: every public type in use, unions told apart to the end. Only compiled.

import {
  type Abortable,
  type AbortSignalLike,
  type Alarm,
  type AlarmEvent,
  type AskOptions,
  type Attempt,
  type AuditEntry,
  approve,
  type BooleanReading,
  type BusFrame,
  type BusMember,
  type Cause,
  type Clock,
  type ClosedEvent,
  type CriticalSection,
  type Decision,
  type Disposition,
  DROP_REASONS,
  type DrainEvent,
  type DropReason,
  type Effect,
  Engine,
  type EngineOptions,
  type ErrorData,
  type ErrorFamily,
  type Escalating,
  type EscalationEvent,
  type EscalationStep,
  type Event,
  type FollowsView,
  type FrameEvent,
  type Gate,
  type HandlerKind,
  type Holding,
  type HostEvent,
  type IdleEvent,
  type InvalidPayloadEvent,
  type Journal,
  type JournalLine,
  type JournalStore,
  type Kind,
  type LimitOptions,
  type Liveness,
  type LivenessEvent,
  LocalBus,
  type LocalBusOptions,
  ManualClock,
  type MemberName,
  type MemberOptions,
  type MemberView,
  type MessageEvent,
  NOTED_AS,
  type NotedAs,
  type Obligation,
  type Outcome,
  type OutgoingFrame,
  type PayloadIssue,
  type PendingOutcome,
  type Permit,
  type Plan,
  type PlanInput,
  type PlanOptions,
  type ProgressEvent,
  type ProgressOptions,
  ProtocolEngine,
  type ProtocolEngineOptions,
  ProtocolError,
  type Refused,
  type ReminderEvent,
  type ReopenedEvent,
  type Report,
  type ReportEvent,
  type RequestEvent,
  type RequestHandler,
  type RequestId,
  type RequestView,
  type Restored,
  type RestoreOptions,
  type RestoringOptions,
  type Role,
  reject,
  type Saved,
  type SectionOptions,
  type SettleCode,
  type ShutdownOptions,
  type Status,
  systemClock,
  type TimingOptions,
  type ToolOutcome,
  type UndeliverableEvent,
  type Undoable,
  type Uses,
  type Verdict,
  type VoteEvent,
  type Work,
  type WorkCause,
  type WorkEvent,
  type WorkerAsked,
  type WorkerOutcome,
  type WorkFailedEvent,
  type WorkHandler,
} from "team-protocols";
import { IndexedDbJournal, type IndexedDbJournalOptions } from "team-protocols/indexeddb";
import { FileJournal, type FileJournalOptions } from "team-protocols/node";

declare function use(...values: unknown[]): void;

const lead: MemberOptions = { name: "team-lead", role: "lead" satisfies Role };
const timing: TimingOptions = { timeoutMs: 60_000, reminders: 3 };
const limits: LimitOptions = { frameBytes: 1 << 20 };
const booleans: BooleanReading = "strict";
const core: EngineOptions = {
  team: [lead, { name: "alice" }],
  member: "alice",
  timing,
  limits,
  booleans,
};
const clock: Clock = new ManualClock(5);
const busOptions: LocalBusOptions = { clock, delayMs: [1, 5], loss: 0.1, seed: 7 };
const bus = new LocalBus(busOptions);
const options: ProtocolEngineOptions = { ...core, clock, transport: bus.transport("alice") };
const alice = new ProtocolEngine(options);
const member: BusMember = alice;
bus.connect(member);
bus.observe(({ from, to, fate }: BusFrame) => use(from satisfies string, to, fate));
const later = new ProtocolEngine({
  ...core,
  transport: async (frame: OutgoingFrame) => use(frame.seq),
});

const signal: AbortSignalLike = new (class {
  readonly aborted = false;
  readonly reason: unknown = undefined;
  addEventListener(_type: "abort", _listener: () => void): void {}
  removeEventListener(_type: "abort", _listener: () => void): void {}
})();
const abortable: Abortable = { signal };
const ask: AskOptions = { timeoutMs: 1, capMs: 2 };
const shutdown: ShutdownOptions & Abortable = { ...ask, ...abortable, reason: "done" };
const planOptions: PlanOptions = { uses: "once" satisfies Uses };
const handler: WorkHandler = ({ name, cause }: WorkEvent) => `${name} ${cause satisfies WorkCause}`;
const works: Undoable<Work> = { onApproved: "deploy", compensation: handler };
const plan: PlanInput = { title: "t", scope: ["write:a/**"], risk: "r" };
const whole: Plan = { ...plan, steps: [], text: "" };

export async function handshake(): Promise<string> {
  const handler: RequestHandler = (request: RequestEvent): Decision =>
    request.plan === undefined ? approve("fine") : reject("no", { retryAfterMs: 5 });
  const kinds: HandlerKind[] = ["shutdown", "plan_approval", "*"];
  for (const kind of kinds) alice.onRequest(kind, handler)();
  alice.onRequest("shutdown", async () => undefined);
  const everyone: WorkerOutcome[] = await alice.shutdownAll(shutdown);
  const first: WorkerAsked | undefined = everyone[0];
  use(first?.requestId ?? first?.error?.code ?? first?.asked, everyone[0]?.outcome?.status);
  const pending: PendingOutcome = alice.requestShutdown("bob", shutdown);
  const id: RequestId | undefined = pending.requestId;
  const outcome: Outcome = await pending;
  await alice.submitPlan(whole, { ...planOptions, ...works });
  const deploy = async (): Promise<void> => undefined;
  alice.onWork("deploy", async () => deploy())();
  alice.onWork("deploy", ({ run }) => ({ ok: run > 1, detail: "d" }));
  alice.workDone(outcome.requestId, 1, { ok: false });
  alice.rerun(outcome.requestId);
  use(id, await alice.settled(outcome.requestId));
  return describe(outcome);
}

function describe(outcome: Outcome): string {
  const cause: Cause = outcome.cause;
  const code: SettleCode | undefined = outcome.code;
  const status: Status = outcome.status;
  switch (status) {
    case "approved":
      return `yes, by ${outcome.by ?? cause}`;
    case "rejected":
      return `no: ${outcome.reason ?? ""}, again in ${outcome.retryAfterMs ?? 0}`;
    case "timed_out":
      return code ?? "";
    case "cancelled":
    case "pending":
      return cause;
    default:
      return status satisfies never;
  }
}

export function onEvent(event: HostEvent): string {
  switch (event.type) {
    case "frame":
      return onFrame(event);
    case "invalid_payload": {
      const { of, kind, from, issues }: InvalidPayloadEvent = event;
      const [issue]: readonly PayloadIssue[] = issues;
      return `${of} ${kind} ${from} ${issue?.path}`;
    }
    case "request":
      use(event.follows satisfies FollowsView | undefined);
      return (event satisfies RequestEvent).kind satisfies Kind;
    case "reminder":
      return (event satisfies ReminderEvent).text;
    case "closed":
      return String((event satisfies ClosedEvent).approvalWithoutEffect);
    case "settled":
      return describe(event);
    case "work":
    case "work_missing":
      return String((event satisfies WorkEvent).run);
    case "work_failed":
      return String((event satisfies WorkFailedEvent).interrupted);
    case "reopened":
      return (event satisfies ReopenedEvent).reason ?? "";
    case "escalation": {
      const { to, step, attempt, of, requests, outcome }: EscalationEvent = event;
      const last: EscalationStep = step;
      return `${to} ${last} ${attempt}/${of} ${requests.join()} ${outcome?.status ?? ""}`;
    }
    case "vote": {
      const { by, approve, counted, awaiting }: VoteEvent = event;
      return `${by} ${approve} ${counted} ${awaiting.join()}`;
    }
    case "message":
      return (event satisfies MessageEvent).text;
    case "progress":
      return String((event satisfies ProgressEvent).busyUntil);
    case "idle":
      return (event satisfies IdleEvent).unanswered.join();
    case "report":
      return String((event satisfies ReportEvent).ok);
    case "drain":
      return String((event satisfies DrainEvent).judgedAt);
    case "liveness":
      return (event satisfies LivenessEvent).liveness satisfies Liveness;
    case "undeliverable": {
      const { to, excerpt, cause }: UndeliverableEvent = event;
      return `${to} ${excerpt ?? ""} ${cause}`;
    }
    case "alarm": {
      const alarm: AlarmEvent = event;
      const holding: Holding[] = alarm.holding ?? [];
      const refused: Refused | undefined = alarm.refused;
      use(refused?.times, refused?.reason);
      return `${alarm.alarm satisfies Alarm} ${holding.map(({ title }) => title ?? "").join()}`;
    }
    default:
      return event satisfies never;
  }
}

function onFrame({ from, disposition }: FrameEvent): string {
  return `${from ?? "somebody"}: ${onDisposition(disposition)}`;
}

export function onDisposition(disposition: Disposition): string {
  switch (disposition.type) {
    case "accepted":
    case "settled":
    case "vote_recorded":
      return disposition.requestId;
    case "noted":
      return disposition.as satisfies NotedAs;
    case "dropped":
      return disposition.reason satisfies DropReason;
    case "refused":
      return disposition.error.hint;
    default:
      return disposition satisfies never;
  }
}

export function onEffect(effect: Effect): string {
  switch (effect.type) {
    case "send":
      return `${effect.to} ${effect.seq} ${effect.frame}`;
    case "event":
      return onEvent(effect.event satisfies Event);
    case "journal":
      return lineOf(effect);
    default:
      return effect satisfies never;
  }
}

function lineOf({ n, line }: JournalLine): string {
  return `${n} ${line}`;
}

export function onError(error: unknown): ErrorData | undefined {
  if (!ProtocolError.is(error)) return undefined;
  const family: ErrorFamily = error.family;
  const path: string | undefined = error.path;
  use(family, path);
  return error.toJSON();
}

export async function durable(): Promise<void> {
  const store: JournalStore = await FileJournal.open("alice.journal", {
    sync: true,
    blocking: false,
    compactAfterBytes: 65_536,
  } satisfies FileJournalOptions);
  const kept = new ProtocolEngine({ ...core, transport: () => undefined, journal: store });
  await kept.suspend();
  const restoring: RestoringOptions = {
    member: "alice",
    transport: () => undefined,
    journal: store,
    setup: (engine) => void engine.onRequest("shutdown", () => approve()),
  };
  const again = await ProtocolEngine.restore(restoring);
  const went: Restored | undefined = again.restored;
  use(went?.lines, went?.soundBytes, went?.tornBytes satisfies number | undefined);
  await again.saved();
  const permit: Permit = await again.gate.enterAsync("write:a");
  permit.startFailed();
  const inTab: JournalStore = await IndexedDbJournal.open("alice", {
    compactAfter: 65_536,
  } satisfies IndexedDbJournalOptions);
  use(inTab.empty, inTab.crowded);
  const own: Journal = { append: (lines) => use(lines) };
  use(own);
  const saved: Saved = { snapshot: "", journal: "" };
  const { engine, restored } = Engine.replay(saved);
  use(engine.snapshot(), restored.journal satisfies boolean);
  const more: RestoreOptions = { member: "alice", lang: "zh", seed: "s" };
  Engine.restore(saved, more, 5).engine.released(7);
  engine.workStarted(5, "req_1", 1);
}

export async function rest(): Promise<void> {
  const section: CriticalSection = alice.enterCriticalSection("s", {
    etaMs: 5,
    policy: "defer",
  } satisfies SectionOptions);
  section.leave();
  {
    using inner = alice.enterCriticalSection("scoped");
    use(inner.name);
  }
  const gate: Gate = alice.gate;
  const permit: Permit = gate.enter("write:a/b");
  permit.startFailed();
  alice.report(permit.requestId, { ok: true, detail: "d" } satisfies Report);
  alice.progress({ note: "n", busyForMs: 5 } satisfies ProgressOptions);
  const done: ToolOutcome = alice.callTool({ to: "bob", message: "hi" });
  const views: MemberView[] = alice.team();
  const owed: Obligation[] = alice.obligations();
  const entries: AuditEntry[] = alice.audit();
  const verdicts: Verdict[] = entries.map(({ verdict }) => verdict);
  const request: RequestView | undefined = alice.request("id");
  const attempt: Attempt | undefined = request?.attempt;
  use(
    attempt?.nextAt,
    alice.requestShutdown("bob", { escalate: { attempts: 2 } } satisfies Escalating),
  );
  const name: MemberName | undefined = views[0]?.name;
  use(done.notes, owed, verdicts, request, name, NOTED_AS.length, DROP_REASONS.length);
  const off: () => void = alice.subscribe((event) => use(onEvent(event)));
  off();
  for await (const event of alice) use(onEvent(event));
  using engine = new Engine(core, systemClock.now());
  use(onDisposition(engine.receive(5, "frame", "bob")));
  for (let effect = engine.pollEffect(); effect; effect = engine.pollEffect())
    use(onEffect(effect));
  const deadline: number | undefined = engine.pollDeadline();
  use(deadline, later.receive("frame", { from: undefined }));
}
