import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Backend, newBackends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { convexTestBackend } from "../tests/convex/convex-test.ts";
import { refused } from "../tests/convex/expect.ts";
import { api, internal } from "./_generated/api";
import { READ_ONLY_TEXT } from "./model/errors";

type Exported = { isMutation?: true; isPublic?: true; _handler?: (ctx: object, args: object) => Promise<unknown> } | undefined;

const READ_ONLY = { code: "limit", message: READ_ONLY_TEXT, isReadOnly: true };
const DAY = 24 * 60 * 60 * 1000;

it("refuses all public mutations while the data is moved", { tags: "@read-only" }, async () => {
  vi.stubEnv("READ_ONLY", "source of a move");
  const modules = import.meta.glob<Record<string, Exported>>([
    "./**/*.ts",
    "!./**/*.test.ts",
    "!./_generated/**",
    "!./{crons,schema,auth.config}.ts",
  ]);
  const refusals: Record<string, unknown> = {};
  for (const [path, load] of Object.entries(modules))
    for (const [name, each] of Object.entries(await load()))
      if (each?.isMutation && each.isPublic && each._handler) refusals[`${path}:${name}`] = await refused(each._handler({}, {}));
  expect(Object.keys(refusals).length).toBeGreaterThan(80);
  expect(Object.entries(refusals).filter(([, refusal]) => JSON.stringify(refusal) !== JSON.stringify(READ_ONLY))).toEqual([]);
});

it("starts no hourly jobs while the data is moved", { tags: "@read-only-hourly" }, async () => {
  const backend = await convexTestBackend();
  const swept = () => backend.inside.query(probe.scheduledCalls, { name: "jobs/sweepReleased:sweep" });
  vi.stubEnv("READ_ONLY", "source of a move");
  await backend.inside.mutation(internal.jobs.hourly.run, { job: "sweepReleased" });
  expect(await swept()).toBe(0);
  vi.stubEnv("READ_ONLY", undefined);
  await backend.inside.mutation(internal.jobs.hourly.run, { job: "sweepReleased" });
  await backend.settle();
  expect(await swept()).toBe(1);
  await backend.close();
});

describe.each(newBackends)("moving data on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
  });
  afterAll(() => backend.close());

  const rows = (table: string) => backend.inside.query(probe.rows, { table });
  const insert = (table: string, row: object) => backend.inside.mutation(probe.insert, { table, row });
  const pausedNames = async () => (await rows("pausedJobs")).map(({ name }) => String(name)).toSorted();

  async function pauseAll(): Promise<number> {
    let paused = 0;
    for (let cursor: string | null = null, isDone = false; !isDone;) {
      const page: { cursor: string; isDone: boolean; paused: number } = await backend.inside.mutation(internal.moving.pauseJobs, {
        cursor,
      });
      ({ cursor, isDone } = page);
      paused += page.paused;
    }
    return paused;
  }

  it("stores pending jobs with arguments and times, and schedules them again", { tags: "@paused-jobs" }, async () => {
    await backend.settle();
    const at = Date.now() + DAY;
    const args = { threadId: "thread", cursor: null };
    await insert("pausedJobs", { name: "jobs/notifications:tellOfThread", args, at });
    await backend.inside.mutation(internal.moving.resumeJobs, { isMoved: false });
    expect(await rows("pausedJobs")).toEqual([]);

    expect(await pauseAll()).toBe(1);
    expect(await pauseAll()).toBe(0);
    expect(await pausedNames()).toEqual(["jobs/notifications:tellOfThread", "moving:recordMove"]);
    expect((await rows("pausedJobs")).find(({ name }) => name === "jobs/notifications:tellOfThread")).toMatchObject({ args, at });

    await backend.inside.mutation(internal.moving.resumeJobs, { isMoved: false });
    expect(await pauseAll()).toBe(1);
    const events = async () => (await rows("auditEvents")).filter(({ action }) => action === "data.moved").length;
    const before = await events();
    await backend.inside.mutation(internal.moving.resumeJobs, { isMoved: true });
    await vi.waitUntil(async () => (await events()) === before + 1);
    expect(await pauseAll()).toBe(1);
    expect(await pausedNames()).toEqual(["jobs/notifications:tellOfThread", "moving:recordMove"]);
  });

  it("forgets and renews the call of a running bulk job", { tags: "@paused-bulk-job" }, async () => {
    const selectionId = await insert("bulkSelections", { userId: ada.userId, at: 0, kind: "image", ids: [], until: 0 });
    const job = { userId: ada.userId, selectionId, at: 0, step: "s", kind: "image", action: { type: "trash" }, isLimited: false };
    const counts = { run: 1, parts: 0, part: 0, total: 0, done: 0, failed: 0, failures: [], isDismissed: false, cursor: null };
    const id = await insert("bulkJobs", { ...job, ...counts, state: "running", phase: "do" });
    await insert("pausedJobs", { name: "jobs/bulk:run", args: { id, run: 1 }, at: Date.now() + DAY });
    const call = async () => (await backend.inside.query(probe.row, { table: "bulkJobs", id }))?.["call"];
    await backend.inside.mutation(internal.moving.resumeJobs, { isMoved: false });
    const first = await call();
    expect(first).toEqual(expect.any(String));
    await pauseAll();
    await backend.inside.mutation(internal.moving.forgetCalls, { cursor: null });
    expect(await call()).toBeUndefined();
    await backend.inside.mutation(internal.moving.resumeJobs, { isMoved: false });
    expect([await call(), (await call()) === first]).toEqual([expect.any(String), false]);
  });

  it("lists files with their addresses and removes them", { tags: "@moved-files" }, async () => {
    const id = await backend.store(new TextEncoder().encode("a file"));
    const listed = async () => (await backend.inside.query(internal.moving.files, { cursor: null })).files.find((file) => file.id === id);
    expect(await listed()).toMatchObject({ size: 6, sha256: expect.any(String), url: expect.stringContaining("/api/storage/") });
    await backend.inside.mutation(internal.moving.removeFiles, { ids: [id] });
    expect(await listed()).toBeUndefined();
    expect(await ada.query(api.projects.getProjects, {})).toEqual([]);
  });
});
