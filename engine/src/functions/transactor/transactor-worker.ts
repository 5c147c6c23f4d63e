/** Group commit: one `flush` for all waiting requests, then their answers. The thread runs microtasks only, without an event loop. */
import { writeSync } from "node:fs";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { garbageCollector, LARGE_MESSAGE_BYTES } from "../../memory/collect-garbage.ts";
import { answerRequest } from "./answer-request.ts";
import type { TransactorRequest, FromTransactor, ToTransactor, TransactorData } from "./transactor-protocol.ts";
import { openingError, openTransactor } from "./open-transactor.ts";
import { FairQueue } from "./fair-queue.ts";
import { Watch } from "../isolate/time-limit.ts";
import type { Transactor } from "./transactor.ts";
import { elapsed } from "../../elapsed.ts";

const BATCH_REQUESTS = 256;
const BATCH_MS = 20;
const RECEIVE_EVERY_MS = 1;
const PROGRESS_EVERY_MS = 1_000;

const port = parentPort;
if (!port) throw new Error("The transactor must run as a worker thread.");
const data: TransactorData = workerData.data;
const nextTick = process.nextTick.bind(process);
// Unhandled rejections of user code must not end the thread.
process.on("unhandledRejection", () => undefined);

const watch = new Watch(data.watch);
setInterval(() => watch.recordProgress(), PROGRESS_EVERY_MS).unref();

const collectGarbage = garbageCollector();
const waiting = new FairQueue();
let transactor: Transactor | null = null;
let restoreGlobals = (): void => {};
let working = false;
let closing = false;

const post = (message: FromTransactor): void => port.postMessage(message);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const fail = (error: unknown): void => {
  const { message, name } = openingError(error, data.dir);
  post({ kind: "failed", error: { message, name } });
};

function receive(message: ToTransactor): void {
  if (message.kind === "work") {
    if (message.dropped.length > 0) waiting.add([{ drop: message.dropped }]);
    waiting.add(message.requests);
    wake();
  } else if (message.kind === "close") {
    closing = true;
    wake();
  } else {
    open();
  }
}

function wake(): void {
  if (working || !transactor) return;
  working = true;
  serve(transactor).then(
    () => {
      working = false;
      if (closing) close();
    },
    (error: unknown) =>
      nextTick(() => {
        throw error;
      }),
  );
}

async function serve(transactor: Transactor): Promise<void> {
  while (!waiting.isEmpty) {
    const started = elapsed();
    const batch = transactor.beginBatch();
    let now = started;
    let receivedAt = started;
    for (let count = 0; count < BATCH_REQUESTS && now - started < BATCH_MS; count++) {
      const request = waiting.next(now);
      if (!request) break;
      if ("drop" in request) {
        transactor.drop(request.drop);
        continue;
      }
      const bytes = argumentBytes(request);
      await answerRequest(transactor, batch, request);
      const after = elapsed();
      waiting.charge(request, after - now, after);
      now = after;
      watch.recordProgress();
      if (bytes >= LARGE_MESSAGE_BYTES) collectGarbage(bytes);
      if (batch.ends || batch.failure) break;
      if (waiting.isEmpty || (!waiting.hasArrived && now - receivedAt >= RECEIVE_EVERY_MS)) {
        drainPort();
        receivedAt = now;
      }
    }
    const ended = batch.ends && !batch.failure;
    post({ kind: "batch", batch: transactor.finishBatch(batch) });
    restoreGlobals();
    if (ended) {
      closing = true;
      return;
    }
    drainPort();
  }
}

function argumentBytes(request: TransactorRequest): number {
  if (request.kind === "queries") return request.params.calls.reduce((sum, { args }) => sum + args.length, 0);
  if (request.kind === "mutation") return request.params.call.args.length;
  return request.kind === "checkAction" ? (request.params.args?.length ?? 0) : 0;
}

function drainPort(): void {
  if (!port) return;
  for (let message = receiveMessageOnPort(port); message; message = receiveMessageOnPort(port)) receive(message.message);
}

function close(): void {
  try {
    transactor?.close();
  } catch (error) {
    // Happens on a full disk. The log, which the next start reads, has every commit.
    writeSync(2, `The last checkpoint failed, so the log remains beside the database: ${messageOf(error)}\n`);
  }
  transactor = null;
  post({ kind: "closed" });
  port?.close();
}

function open(): void {
  prepared
    .then((prepare) => prepare())
    .then((opened) => {
      transactor = opened.transactor;
      restoreGlobals = opened.restoreGlobals;
      post({ kind: "opened", latest: opened.latest, hasAcceptedLoss: opened.hasAcceptedLoss, env: opened.env, code: opened.code });
      wake();
    }, fail);
}

const prepared = openTransactor(data);
prepared.then(() => post({ kind: "loaded" }), fail);
port.on("message", receive);
