import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../transaction/database.ts";
import { TransactorThread } from "./transactor-client.ts";

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
    acceptLossUntil: null,
    hasFileBucket: false,
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
const environment = () => thread.request("environment", null);

const LONG_MS = 1_000;
const beBusy = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LONG_MS);

test("starts one successor when a thread's end and last messages arrive together", async () => {
  await thread.replaceCode(after, () => {
    const requested = thread.request("updateEnvironment", { changes, authProviders: null });
    setImmediate(beBusy);
    return requested;
  });
  expect(await environment()).toEqual({ NAME: "after" });
  expect(started).toHaveLength(2);
});

test("replaces a thread that ended and answers the waiting requests", async () => {
  const answer = environment();
  await started[0]?.terminate();
  expect(await answer).toEqual({});
  expect(started).toHaveLength(2);
});

test("applies a change once when the thread ends during the deployment", async () => {
  await thread.replaceCode(after, () => {
    const requested = thread.request("updateEnvironment", { changes, authProviders: null });
    void started[0]?.terminate();
    return requested;
  });
  expect(await environment()).toEqual({ NAME: "after" });
  expect(failures).toEqual([]);
});

test("releases the data on close when a thread ends while being replaced", async () => {
  const ended = started[0]?.terminate();
  await thread.close();
  await ended;
  openDatabase(dir).close();
  expect(failures).toEqual([]);
});

test("reports data that cannot be reopened, without delaying the close", { tags: "slow", timeout: 90_000 }, async () => {
  const failure = environment().catch(String);
  await started[0]?.terminate();
  const other = openDatabase(dir);
  expect(await failure).toContain("The transactor thread could not be started again");
  await expect(environment()).rejects.toThrow("Another process is using the data");
  expect(failures).toHaveLength(1);
  await thread.close();
  other.close();
});
