/**
 * The handshakes over what people use for requests and answers between two parties, each with the
 * rules that it brings itself and the shape of what is asked; every one in this process, as text or as
 * objects, as it does by itself.
 */

import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as Comlink from "comlink";
import {
  createMessageConnection,
  RequestType,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { assign, createActor, setup } from "xstate";
import * as z from "zod";
import { planOf, REASON, REFUSAL, WORKERS } from "../cases.mjs";

/** Asks so often, and counts the refusals. */
async function repeat(count, ask) {
  let settled = 0;
  for (let n = 0; n < count; n += 1) if ((await ask(n)).approve === false) settled += 1;
  if (settled !== count) throw new Error(`${settled} of ${count} handshakes settled`);
}

/** A tool call over the in-memory transport of the MCP SDK; a tool for each handshake. */
function mcp() {
  let client;
  const open = async () => {
    if (client) return;
    const server = new McpServer({ name: "worker", version: "1.0.0" });
    const answer = async () => ({
      content: [{ type: "text", text: JSON.stringify(REFUSAL) }],
      structuredContent: REFUSAL,
    });
    const plan = z.object({
      title: z.string(),
      scope: z.array(z.string()),
      steps: z.array(z.string()),
      risk: z.string(),
      text: z.string(),
    });
    server.registerTool(
      "shutdown",
      { inputSchema: { to: z.string(), reason: z.string() } },
      answer,
    );
    server.registerTool("plan", { inputSchema: { from: z.string(), plan } }, answer);
    const [near, far] = InMemoryTransport.createLinkedPair();
    client = new Client({ name: "lead", version: "1.0.0" });
    await Promise.all([server.connect(far), client.connect(near)]);
  };
  const call = async (name, args) =>
    (await client.callTool({ name, arguments: args })).structuredContent;
  return {
    shutdown: async (count) => {
      await open();
      await repeat(count, (n) => call("shutdown", { to: WORKERS[n % 8], reason: REASON }));
    },
    plan: async (count, text) => {
      await open();
      await repeat(count, (n) => call("plan", { from: WORKERS[n % 8], plan: planOf(text, n) }));
    },
  };
}

/** JSON-RPC over streams in memory, as language servers speak it. */
function vscode() {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const connect = (input, output) =>
    createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  const [near, far] = [connect(back, there), connect(there, back)];
  const type = new RequestType("handshake");
  far.onRequest(type, () => REFUSAL);
  for (const side of [near, far]) side.listen();
  return {
    shutdown: (count) =>
      repeat(count, (n) => near.sendRequest(type, { to: WORKERS[n % 8], reason: REASON })),
    plan: (count, text) =>
      repeat(count, (n) => near.sendRequest(type, { from: WORKERS[n % 8], plan: planOf(text, n) })),
  };
}

/** A call of a remote object over a message channel. */
function comlink() {
  const { port1, port2 } = new MessageChannel();
  Comlink.expose({ shutdown: () => REFUSAL, plan: () => REFUSAL }, port2);
  const remote = Comlink.wrap(port1);
  return {
    shutdown: (count) => repeat(count, (n) => remote.shutdown(WORKERS[n % 8], REASON)),
    plan: (count, text) => repeat(count, (n) => remote.plan(WORKERS[n % 8], planOf(text, n))),
  };
}

/** An actor for each request, with its states and its deadline; frames are JSON text. */
function xstate() {
  const machine = setup({
    delays: { deadline: 60_000 },
    guards: { reasoned: ({ event }) => event.approve || (event.reason ?? "").trim() !== "" },
  }).createMachine({
    context: { answer: undefined },
    initial: "pending",
    states: {
      pending: {
        on: {
          ANSWER: {
            guard: "reasoned",
            actions: assign({ answer: ({ event }) => event }),
            target: "settled",
          },
        },
        after: { deadline: "timedOut" },
      },
      settled: { type: "final" },
      timedOut: { type: "final" },
    },
    output: ({ context }) => context.answer,
  });
  let id = 0;
  const ask = (message) =>
    new Promise((resolve) => {
      const actor = createActor(machine);
      actor.subscribe({ complete: () => resolve(actor.getSnapshot().output) });
      actor.start();
      id += 1;
      const frame = JSON.parse(JSON.stringify({ ...message, request_id: id }));
      const answer = JSON.stringify({ request_id: frame.request_id, ...REFUSAL });
      actor.send({ type: "ANSWER", ...JSON.parse(answer) });
    });
  return {
    shutdown: (count) => repeat(count, (n) => ask({ to: WORKERS[n % 8], reason: REASON })),
    plan: (count, text) => repeat(count, (n) => ask({ plan: planOf(text, n) })),
  };
}

/** By name. */
export const FRAMEWORKS = {
  "MCP SDK, in memory": mcp(),
  "vscode-jsonrpc": vscode(),
  comlink: comlink(),
  "XState, an actor each": xstate(),
};
