import { randomUUID } from "node:crypto";
import { appendFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import * as z from "zod";
import { beginLater } from "~/lib/http/begin-later.server";
import { addActivity } from "~/lib/http/telemetry/request-activity.server";
import { asDiskFull } from "~/lib/http/disk-full.server";
import { log } from "~/lib/http/telemetry/log.server";
import { createPause } from "~/lib/http/create-pause.server";
import type { UploadOutcome } from "~/features/uploads/upload-result";
import { createOwnerIndex } from "./owner-index";

/** An upload that has ended, without its file name, since the record can outlive the image by a day. */
export type FinishedUpload = {
  id: string;
  ownerId: string;
  length: number;
  expiresAt: number;
  outcome: UploadOutcome;
};

export type Outcomes = {
  add(finished: FinishedUpload): Promise<void>;
  find(id: string, ownerId: string): Promise<FinishedUpload | null>;
  remove(id: string): Promise<void>;
  removeOwner(ownerId: string): Promise<void>;
  owners(): Promise<string[]>;
  sweep(): Promise<void>;
  size(): number;
};

const MOST_OF_PERSON = 100;
const MOST = 10_000;
const COMPACTION_THRESHOLD = 1000;

/** Opens the JSON lines file. It is read when `begin` resolves or on demand, and rewritten when half are removed. Evicts the oldest. */
export function openOutcomes(path: string, { mostOfPerson = MOST_OF_PERSON, most = MOST, begin = Promise.resolve() } = {}): Outcomes {
  const outcomes = createOwnerIndex<FinishedUpload>();
  let lines = 0;
  let waiting: FinishedUpload[] = [];
  let nextAppend: Promise<void> | null = null;
  const loaded = beginLater(begin, () => load().catch((error: unknown) => log.error({ error }, "upload outcomes could not be read")));
  let last: Promise<void> | null = null;

  function run(job: () => Promise<void>): Promise<void> {
    const result = (last ?? loaded()).then(job);
    last = result.catch(() => {});
    return result;
  }

  async function load(): Promise<void> {
    const pause = createPause();
    addActivity("reading upload outcomes");
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
      throw error;
    });
    for (let from = 0; from < text.length;) {
      const end = text.indexOf("\n", from);
      const line = text.slice(from, end === -1 ? text.length : end);
      from += line.length + 1;
      if (line === "") continue;
      lines++;
      const finished = parse(line);
      if (finished) store(finished);
      await pause();
    }
  }

  function store(finished: FinishedUpload): void {
    outcomes.set(finished);
    if (outcomes.countOf(finished.ownerId) > mostOfPerson) evictOldest(outcomes.of(finished.ownerId));
    if (outcomes.size() > most) evictOldest(outcomes.values());
  }

  function evictOldest(candidates: Iterable<FinishedUpload>): void {
    for (const { id } of candidates) return outcomes.delete(id);
  }

  async function append(): Promise<void> {
    const added = waiting;
    waiting = [];
    nextAppend = null;
    // The leading line break ends a line that a failed write left incomplete.
    const text = added.map((finished) => `\n${JSON.stringify(finished)}`).join("");
    await appendFile(path, text, { mode: 0o600 }).catch((error: unknown) => {
      throw asDiskFull(error);
    });
    lines += added.length;
    for (const finished of added) store(finished);
    if (lines > 2 * outcomes.size() + COMPACTION_THRESHOLD)
      await rewrite().catch((error: unknown) => log.error({ error }, "the file of upload outcomes could not be rewritten"));
  }

  async function rewrite(): Promise<void> {
    const pause = createPause();
    addActivity("rewriting upload outcomes");
    const recent = [...outcomes.values()];
    let text = "";
    for (const finished of recent) {
      text += `\n${JSON.stringify(finished)}`;
      await pause();
    }
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    lines = recent.length;
  }

  return {
    add(finished) {
      waiting.push(finished);
      return (nextAppend ??= run(append));
    },
    async find(id, ownerId) {
      await loaded();
      const finished = outcomes.get(id);
      return finished && finished.ownerId === ownerId && finished.expiresAt > Date.now() ? finished : null;
    },
    remove: (id) =>
      run(async () => {
        if (!outcomes.get(id)) return;
        outcomes.delete(id);
        await rewrite();
      }),
    removeOwner: (ownerId) =>
      run(async () => {
        for (const { id } of outcomes.of(ownerId)) outcomes.delete(id);
        if (lines > outcomes.size()) await rewrite();
      }),
    async owners() {
      await loaded();
      return outcomes.owners();
    },
    sweep: () =>
      run(async () => {
        const now = Date.now();
        for (const { id, expiresAt } of outcomes.values()) {
          if (expiresAt > now) break;
          outcomes.delete(id);
        }
        if (lines > outcomes.size()) await rewrite();
      }),
    size: () => outcomes.size(),
  };
}

const finishedSchema = z.object({
  id: z.uuid(),
  ownerId: z.string(),
  length: z.int().nonnegative(),
  expiresAt: z.number(),
  outcome: z.discriminatedUnion("ok", [
    z.object({ ok: z.literal(true), imageId: z.string() }),
    z.object({ ok: z.literal(false), problem: z.string(), again: z.boolean() }),
  ]),
}) satisfies z.ZodType<FinishedUpload>;

function parse(line: string): FinishedUpload | null {
  try {
    return finishedSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
