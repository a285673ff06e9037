// What the types know of a declared kind. Only compiled.

import type { KindDeclaration, ProtocolEngine, StandardSchema } from "team-protocols";
import * as v from "valibot";
import * as z from "zod";

declare const engine: ProtocolEngine;

const GRANT = {
  kind: "resource_grant",
  askedBy: ["worker"],
  decidedBy: ["lead"],
  payload: z.object({ gpu: z.number(), since: z.string().transform((text) => new Date(text)) }),
  answer: v.object({ token: v.string() }),
} satisfies KindDeclaration;

const zod: StandardSchema<{ gpu: number; since: string }, { gpu: number; since: Date }> =
  GRANT.payload;
const valibot: StandardSchema<{ token: string }> = GRANT.answer;
export const both = [zod, valibot];

export async function typed(): Promise<string | undefined> {
  engine.onRequest(GRANT, ({ payload, from }) => {
    const { gpu, since } = payload satisfies { gpu: number; since: Date };
    return { approve: gpu > 0, reason: from, payload: { token: since.toISOString() } };
  });
  // @ts-expect-error the schema makes a date of it
  engine.onRequest(GRANT, ({ payload }) => ({ approve: payload.since === "now" }));
  // @ts-expect-error what goes in is a text
  engine.ask(GRANT, "team-lead", { payload: { gpu: 1, since: new Date() } });
  // @ts-expect-error a field is missing
  engine.ask(GRANT, "team-lead", { payload: { gpu: 1 } });
  const outcome = await engine.ask(GRANT, "team-lead", { payload: { gpu: 1, since: "2026" } });
  // @ts-expect-error a refusal carries none
  outcome.payload.token;
  return outcome.payload?.token;
}

export async function untyped(): Promise<unknown> {
  engine.onRequest("resource_grant", ({ payload }) => ({
    approve: (payload satisfies unknown) === 1,
  }));
  // @ts-expect-error nothing is known of it
  engine.onRequest("resource_grant", ({ payload }) => ({ approve: payload.gpu === 1 }));
  const plain = { kind: "x", askedBy: ["worker"], decidedBy: ["lead"] } satisfies KindDeclaration;
  await engine.ask(plain, "team-lead", { payload: 7 });
  return (await engine.ask("resource_grant", "team-lead", { payload: [] })).payload;
}

// @ts-expect-error a schema is no function
export const broken: KindDeclaration = { ...GRANT, payload: (value: unknown) => value };
