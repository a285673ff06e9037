/** The shape of a frame, judged by validators that people use instead of checks by hand. */

import { Ajv } from "ajv";
import * as v from "valibot";
import * as z from "zod";

const zodId = z.string().min(1);
const zodFrame = z.object({
  from: z.string(),
  to: z.string(),
  message: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("shutdown_request"),
      request_id: zodId,
      reason: z.string().optional(),
    }),
    z.object({
      type: z.literal("shutdown_response"),
      request_id: zodId,
      approve: z.boolean(),
      reason: z.string().optional(),
    }),
    z.object({
      type: z.literal("plan_approval_request"),
      request_id: zodId,
      plan: z.object({
        title: z.string(),
        scope: z.array(z.string()),
        steps: z.array(z.string()),
        risk: z.string(),
        text: z.string(),
      }),
    }),
    z.object({
      type: z.literal("plan_approval_response"),
      request_id: zodId,
      approve: z.boolean(),
      feedback: z.string().optional(),
    }),
  ]),
});

const valibotId = v.pipe(v.string(), v.minLength(1));
const valibotFrame = v.object({
  from: v.string(),
  to: v.string(),
  message: v.variant("type", [
    v.object({
      type: v.literal("shutdown_request"),
      request_id: valibotId,
      reason: v.optional(v.string()),
    }),
    v.object({
      type: v.literal("shutdown_response"),
      request_id: valibotId,
      approve: v.boolean(),
      reason: v.optional(v.string()),
    }),
    v.object({
      type: v.literal("plan_approval_request"),
      request_id: valibotId,
      plan: v.object({
        title: v.string(),
        scope: v.array(v.string()),
        steps: v.array(v.string()),
        risk: v.string(),
        text: v.string(),
      }),
    }),
    v.object({
      type: v.literal("plan_approval_response"),
      request_id: valibotId,
      approve: v.boolean(),
      feedback: v.optional(v.string()),
    }),
  ]),
});

const text = { type: "string" };
const texts = { type: "array", items: text };
const message = (type, properties, required) => ({
  type: "object",
  properties: {
    type: { const: type },
    request_id: { type: "string", minLength: 1 },
    ...properties,
  },
  required: ["type", "request_id", ...required],
});
const plan = {
  type: "object",
  properties: { title: text, scope: texts, steps: texts, risk: text, text },
  required: ["title", "scope", "steps", "risk", "text"],
};
const approve = { type: "boolean" };
const ajvFrame = new Ajv({ discriminator: true }).compile({
  type: "object",
  properties: {
    from: text,
    to: text,
    message: {
      type: "object",
      discriminator: { propertyName: "type" },
      required: ["type"],
      oneOf: [
        message("shutdown_request", { reason: text }, []),
        message("shutdown_response", { approve, reason: text }, ["approve"]),
        message("plan_approval_request", { plan }, ["plan"]),
        message("plan_approval_response", { approve, feedback: text }, ["approve"]),
      ],
    },
  },
  required: ["from", "to", "message"],
});

/** By name, whether a frame has the right shape. */
export const VALIDATORS = {
  "Zod 4": (frame) => zodFrame.safeParse(frame).success,
  Valibot: (frame) => v.safeParse(valibotFrame, frame).success,
  ajv: (frame) => ajvFrame(frame),
};
