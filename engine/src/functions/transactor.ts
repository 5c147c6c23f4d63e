/**
 * The transactor thread: the only one that holds the database, and the code of queries and mutations.
 *
 * Group commit: it takes what is waiting, runs it one after the other, makes everything durable with one `flush`, and only then
 * posts all answers at once. While a batch runs the thread never returns to its event loop: functions live on microtasks alone.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { answerQuestion } from "./answer.ts";
import type { Question, FromTransactor, ToTransactor, TransactorData } from "./protocol.ts";
import { openTransactor } from "./open-transactor.ts";
import type { Transactor } from "./work.ts";

/** So much is run before the answers so far are made durable and told. */
const BATCH_QUESTIONS = 256;
const BATCH_MS = 20;

const port = parentPort;
if (!port) throw new Error("The transactor runs as a worker thread.");
const data: TransactorData = workerData.data;
const nextTick = process.nextTick.bind(process);
const elapsed = performance.now.bind(performance);

// What user code leaves behind must not end the thread; a function whose own promise fails is told through its outcome.
process.on("unhandledRejection", () => undefined);

const waiting: Question[] = [];
const dropped: string[] = [];
let transactor: Transactor | null = null;
let tidy = (): void => {};
let working = false;
let closing = false;

const post = (message: FromTransactor): void => port.postMessage(message);

const fail = (error: unknown): void => {
  const { message, name } = error instanceof Error ? error : new Error(String(error));
  post({ kind: "failed", error: { message, name } });
};

function receive(message: ToTransactor): void {
  if (message.kind === "work") {
    waiting.push(...message.questions);
    dropped.push(...message.dropped);
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
  work(transactor).then(
    () => {
      working = false;
      if (closing) close();
    },
    // A fault of ours: the thread ends by it, and the main thread starts another.
    (error: unknown) =>
      nextTick(() => {
        throw error;
      }),
  );
}

async function work(transactor: Transactor): Promise<void> {
  while (waiting.length > 0 || dropped.length > 0) {
    const started = elapsed();
    const batch = transactor.beginBatch();
    transactor.drop(dropped.splice(0));
    for (let count = 0; count < BATCH_QUESTIONS && elapsed() - started < BATCH_MS; count++) {
      const question = waiting.shift();
      if (!question) break;
      await answerQuestion(transactor, batch, question);
      if (batch.ends || batch.failure) break;
      if (waiting.length === 0) drainPort();
    }
    const ended = batch.ends && !batch.failure;
    post({ kind: "batch", batch: transactor.finishBatch(batch) });
    tidy();
    if (ended) {
      closing = true;
      return;
    }
    drainPort();
  }
}

/** Takes what has arrived meanwhile, without returning to the event loop. */
function drainPort(): void {
  if (!port) return;
  for (let message = receiveMessageOnPort(port); message; message = receiveMessageOnPort(port)) receive(message.message);
}

function close(): void {
  transactor?.close();
  transactor = null;
  post({ kind: "closed" });
  port?.close();
}

function open(): void {
  prepared
    .then((prepare) => prepare())
    .then((opened) => {
      transactor = opened.transactor;
      tidy = opened.tidy;
      post({ kind: "opened", latest: opened.latest, env: opened.env, code: opened.code });
      wake();
    }, fail);
}

const prepared = openTransactor(data);
prepared.then(() => post({ kind: "loaded" }), fail);
port.on("message", receive);
