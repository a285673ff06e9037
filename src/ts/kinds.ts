/** Kinds of requests as a host declares them: the row of the core, and the schemas beside it. */

import { hostError } from "./errors.js";
import type { SchemaInput, SchemaOutput, StandardSchema } from "./standard-schema.js";
import type { HandlerKind, KindOptions, RequestEvent } from "./types.js";

/**
 * A kind of requests beside those that are always there. Declare it once, where all members of the
 * team find it; `ask` and `onRequest` of a `ProtocolEngine` take the declaration in the place of
 * its name, and then know its types.
 *
 * ```ts
 * const GRANT = {
 *   kind: "resource_grant",
 *   askedBy: ["worker"],
 *   decidedBy: ["lead"],
 *   payload: z.object({ gpu: z.number().int().positive() }),
 * } satisfies KindDeclaration;
 * ```
 */
export interface KindDeclaration extends KindOptions {
  /**
   * What the payload of a request must be: any Standard Schema validator. It judges the payload
   * as JSON carries it, before a request is sent and when one arrives. What travels is the value
   * that goes into the schema; the handler gets the value that comes out.
   */
  readonly payload?: StandardSchema | undefined;
  /**
   * What the payload of an answer must be, likewise: of every approval by a member, and of a
   * refusal that carries one. A refusal without a payload is always possible. What a model answers
   * through `callTool` is judged where it arrives.
   */
  readonly answer?: StandardSchema | undefined;
}

/** What a kind takes as the payload of a request. */
export type PayloadInput<Declared> = Declared extends { readonly payload: infer Schema }
  ? Schema extends StandardSchema
    ? SchemaInput<Schema>
    : unknown
  : unknown;

/** What a handler gets as the payload of a request of a kind. */
export type PayloadOutput<Declared> = Declared extends { readonly payload: infer Schema }
  ? Schema extends StandardSchema
    ? SchemaOutput<Schema>
    : unknown
  : unknown;

/** What the outcome of a request of a kind carries. */
export type AnswerOutput<Declared> = Declared extends { readonly answer: infer Schema }
  ? Schema extends StandardSchema
    ? SchemaOutput<Schema>
    : unknown
  : unknown;

/** A request whose payload has a known type. */
export type RequestOf<Payload> = unknown extends Payload
  ? RequestEvent
  : RequestEvent & {
      /** What the schema made of the payload. */
      readonly payload: Payload;
    };

/** The schemas of one kind. */
export type Schemas = Pick<KindDeclaration, "payload" | "answer">;

/** The name of a kind, however it was given. */
export function kindName(kind: HandlerKind | KindDeclaration): string {
  // What is neither is refused as it is by whoever takes the name.
  return typeof kind === "object" && kind !== null ? kind.kind : kind;
}

/** Parts what a host declares into the rows that the core takes and the schemas by kind. */
export function declared(
  kinds: readonly KindDeclaration[] | undefined,
  lang: "en" | "zh",
): { rows: readonly KindOptions[] | undefined; schemas: Map<string, Schemas> } {
  const schemas = new Map<string, Schemas>();
  // What is no list of objects goes to the core as it is, to be refused there.
  if (!Array.isArray(kinds)) return { rows: kinds, schemas };
  const rows = kinds.map((declaration: KindDeclaration, at) => {
    if (typeof declaration !== "object" || declaration === null) return declaration;
    const { payload, answer, ...row } = declaration;
    for (const [field, schema] of Object.entries({ payload, answer })) {
      if (schema === undefined || isSchema(schema)) continue;
      throw hostError("bad_option", lang, { path: `options.kinds[${at}].${field}` });
    }
    if (payload !== undefined || answer !== undefined) schemas.set(row.kind, { payload, answer });
    return row;
  });
  return { rows, schemas };
}

function isSchema(value: unknown): value is StandardSchema {
  const standard = (value as Partial<StandardSchema> | null)?.["~standard"];
  return standard?.version === 1 && typeof standard.validate === "function";
}
