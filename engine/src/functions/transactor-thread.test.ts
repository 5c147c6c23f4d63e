import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../transaction/database.ts";
import { TransactorThread } from "./transactor-thread.ts";

let dir: string;
let started: Worker[];
let failures: Error[];
let thread: TransactorThread;
const notice = (worker: Worker): unknown => started.push(worker);

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "engine-transactor-"));
  [started, failures] = [[], []];
  process.on("worker", notice);
  thread = await TransactorThread.start({
    dir,
    cloudUrl: "http://127.0.0.1:1",
    siteUrl: "http://127.0.0.1:2",
    onBatch: () => undefined,
    onFailure: (error) => failures.push(error),
  });
});
afterEach(async () => {
  await thread.close();
  process.off("worker", notice);
  rmSync(dir, { recursive: true, force: true });
});

const changes = [{ name: "NAME", value: "after" }];
const after = { code: null, env: { NAME: "after" } };
const environment = () => thread.ask("environment", null);

/** Longer than a thread takes to commit, close the database and end. */
const LONG_MS = 1_000;
/** This thread is busy: what the other has to say meanwhile, and that it ended, is then heard in one go. */
const beBusy = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONG_MS);

test("a thread whose end is heard together with its last words is followed by its successor alone", async () => {
  await thread.changeOver(after, () => {
    const asked = thread.ask("updateEnvironment", { changes, authProviders: null });
    // The question is posted with the immediate before this one.
    setImmediate(beBusy);
    return asked;
  });
  expect(await environment()).toEqual({ NAME: "after" });
  expect(started).toHaveLength(2);
});

test("a thread that ends by itself is followed by another, which answers what waited", async () => {
  const answer = environment();
  await started[0]?.terminate();
  expect(await answer).toEqual({});
  expect(started).toHaveLength(2);
});

test("a thread that ends while it changes over is asked again, and the change is made once", async () => {
  await thread.changeOver(after, () => {
    const asked = thread.ask("updateEnvironment", { changes, authProviders: null });
    void started[0]?.terminate();
    return asked;
  });
  expect(await environment()).toEqual({ NAME: "after" });
  expect(failures).toEqual([]);
});

test("a thread that ends while it is being followed by another leaves the data to nobody after the close", async () => {
  const ended = started[0]?.terminate();
  await thread.close();
  await ended;
  // Nobody has it open: a second connection would be refused.
  openDatabase(dir).close();
  expect(failures).toEqual([]);
});

test("data that cannot be opened again is told, and closing does not wait for it", async () => {
  const told = environment().catch(String);
  await started[0]?.terminate();
  const other = openDatabase(dir);
  expect(await told).toContain("The transactor thread could not be started again");
  await expect(environment()).rejects.toThrow("Another process is using the data");
  expect(failures).toHaveLength(1);
  await thread.close();
  other.close();
}, 90_000);
