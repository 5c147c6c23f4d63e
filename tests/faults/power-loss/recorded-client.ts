import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { WebSocket } from "ws";
import { connectMessage, openRawSocket } from "@atelier/engine/testing/raw-socket";

export const ROUND_FUNCTIONS = {
  "schema.ts": `
    import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({
      rows: defineTable({ name: v.string(), text: v.string() }).index("by_name", ["name"]).searchIndex("by_text", { searchField: "text" }),
    });`,
  "rows.ts": `
    import { mutationGeneric as mutation, queryGeneric as query } from "convex/server";
    import { v } from "convex/values";
    export const add = mutation({ args: { name: v.string(), text: v.string() }, handler: (ctx, row) => ctx.db.insert("rows", row) });
    export const remove = mutation({ args: { names: v.array(v.string()) }, handler: async (ctx, { names }) => {
      for (const name of names)
        for (const row of await ctx.db.query("rows").withIndex("by_name", (q) => q.eq("name", name)).collect()) await ctx.db.delete(row._id);
    } });
    export const removeFile = mutation({ args: { id: v.id("_storage") }, handler: (ctx, { id }) => ctx.storage.delete(id) });
    export const uploadUrl = mutation({ args: {}, handler: (ctx) => ctx.storage.generateUploadUrl() });
    export const urlOf = query({ args: { id: v.id("_storage") }, handler: (ctx, { id }) => ctx.storage.getUrl(id) });
    export const stored = query({ args: {}, handler: async (ctx) => ({
      names: (await ctx.db.query("rows").collect()).map(({ name }) => name),
      files: (await ctx.db.system.query("_storage").collect()).map(({ _id }) => _id),
    }) });`,
};

type State = "adding" | "added" | "removing" | "removed";
type Request = { message: string; acknowledge: () => void };
/** `at` is the position in the log when the request was sent or answered. */
type Step = { at: number; state: State };
export type Stored = { names: string[]; files: string[] };

const IN_FLIGHT = 8;
/** Limits the size of the recording. */
const PAUSE_MS = 25;
const KEPT_ROWS = 60;
const KEPT_FILES = 6;
const MAX_FILE_BYTES = 12_000;
const TEXT = "a text long enough to fill pages ".repeat(20);

const reference = (name: string) => {
  const found = anyApi["rows"]?.[name];
  if (!found) throw new Error(`${name} is missing.`);
  return found;
};

export async function readStored(url: string): Promise<Stored> {
  return new ConvexHttpClient(url, { logger: false }).query(reference("stored"), {});
}

/** Changes data over a websocket and by uploads, and records at which position of the log each change was acknowledged. */
export class RecordedClient {
  readonly #position: () => number;
  readonly #rows = new Map<string, Step[]>();
  readonly #files = new Map<string, Step[]>();
  /** Positions at which removals were acknowledged, by the name of the file in `files`. */
  readonly #removedNames = new Map<string, number>();
  readonly #pending = new Map<number, Request>();
  readonly #session = randomUUID();
  #added: string[] = [];
  #requests = 0;
  acknowledged = 0;

  constructor(position: () => number) {
    this.#position = position;
  }

  /** Returns the lost, doubled and reappeared data in the state at a position of the log. */
  compare({ names, files }: Stored, at: number): string[] {
    return [...differences("row", this.#rows, names, at), ...differences("file", this.#files, files, at)];
  }

  removedNames(at: number): Set<string> {
    return new Set([...this.#removedNames].filter(([, removed]) => removed <= at).map(([name]) => name));
  }

  /** Call it when a new log starts with what the last one left. */
  restart({ files }: Stored): void {
    for (const steps of this.#rows.values()) steps.splice(0, steps.length, { at: 0, state: steps.at(-1)?.state ?? "adding" });
    this.#files.clear();
    for (const id of files) this.#files.set(id, [{ at: 0, state: "added" }]);
    this.#removedNames.clear();
  }

  /** Sends unanswered requests again, then new ones. Ends when the deployment does. */
  async run(url: string): Promise<void> {
    const stopping = new AbortController();
    await Promise.all([this.#sendMutations(url).finally(() => stopping.abort()), this.#upload(url, stopping.signal)]);
  }

  async #sendMutations(url: string): Promise<void> {
    // The deployment may be killed before it accepts the connection.
    const opened = await openRawSocket(url).catch(() => null);
    if (!opened) return;
    const { socket, closed } = opened;
    socket.on("error", () => undefined);
    const send = (text: string): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    };
    socket.on("message", (data: Buffer) => {
      const received: { type: string; requestId: number; success: boolean } = JSON.parse(data.toString());
      const request = this.#pending.get(received.requestId);
      if (received.type !== "MutationResponse" || !request || !received.success) return;
      this.#pending.delete(received.requestId);
      request.acknowledge();
      this.acknowledged += 1;
      setTimeout(() => send(this.#next()), PAUSE_MS);
    });
    send(JSON.stringify({ ...connectMessage(), sessionId: this.#session }));
    for (const { message } of this.#pending.values()) send(message);
    while (this.#pending.size < IN_FLIGHT) send(this.#next());
    await closed;
  }

  #next(): string {
    if (this.#added.length > KEPT_ROWS) return this.#removal(this.#added.splice(0, KEPT_ROWS / 2));
    const name = `row ${this.#requests}`;
    this.#record(this.#rows, name, "adding");
    return this.#request("add", { name, text: `${name} ${TEXT}` }, () => {
      this.#record(this.#rows, name, "added");
      this.#added.push(name);
    });
  }

  #removal(names: string[]): string {
    for (const name of names) this.#record(this.#rows, name, "removing");
    return this.#request("remove", { names }, () => names.forEach((name) => this.#record(this.#rows, name, "removed")));
  }

  #request(name: string, args: object, acknowledge: () => void): string {
    const requestId = this.#requests;
    this.#requests += 1;
    const message = JSON.stringify({ type: "Mutation", requestId, udfPath: `rows:${name}`, args: [args] });
    this.#pending.set(requestId, { message, acknowledge });
    return message;
  }

  #record(steps: Map<string, Step[]>, key: string, state: State): void {
    const step = { at: this.#position(), state };
    const found = steps.get(key);
    if (found) found.push(step);
    else steps.set(key, [step]);
  }

  async #upload(url: string, signal: AbortSignal): Promise<void> {
    const client = new ConvexHttpClient(url, { logger: false });
    try {
      const uploadUrl: string = await client.mutation(reference("uploadUrl"), {});
      while (!signal.aborted) {
        const response = await fetch(uploadUrl, { method: "POST", body: randomBytes(randomInt(MAX_FILE_BYTES)) });
        if (!response.ok) return;
        const { storageId }: { storageId: string } = await response.json();
        this.#record(this.#files, storageId, "added");
        this.acknowledged += 1;
        const added = [...this.#files].filter(([, steps]) => steps.at(-1)?.state === "added").map(([id]) => id);
        await sleep(PAUSE_MS);
        if (added.length < KEPT_FILES) continue;
        // The second removal deletes the record of the first one, and no upload synchronizes the folder between them.
        for (const id of added.slice(0, KEPT_FILES / 2)) await this.#removeFile(client, id);
      }
    } catch {
      // The deployment was killed.
    }
  }

  async #removeFile(client: ConvexHttpClient, id: string): Promise<void> {
    const address: string = await client.query(reference("urlOf"), { id });
    this.#record(this.#files, id, "removing");
    await client.mutation(reference("removeFile"), { id });
    this.#record(this.#files, id, "removed");
    this.#removedNames.set(new URL(address).pathname.split("/").at(-1) ?? "", this.#position());
    this.acknowledged += 1;
  }
}

function differences(what: string, expected: Map<string, Step[]>, found: string[], at: number): string[] {
  const counts = new Map<string, number>();
  for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
  const problems = [...counts].filter(([, count]) => count > 1).map(([each]) => `${what} ${each} is doubled`);
  for (const [each, steps] of expected) {
    const state = steps.findLast((step) => step.at <= at)?.state;
    if (state === "added" && !counts.has(each)) problems.push(`${what} ${each} is lost`);
    if (state === "removed" && counts.has(each)) problems.push(`${what} ${each} is back`);
  }
  return problems;
}
