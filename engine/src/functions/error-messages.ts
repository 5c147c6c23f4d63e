import { USER_TIME_LIMIT_MS } from "./isolate/time-limit.ts";

export const TIMED_OUT = `Function execution timed out (maximum duration: ${USER_TIME_LIMIT_MS / 1_000}s)`;
export const OUT_OF_MEMORY = "JavaScript execution ran out of memory (maximum memory usage: 64 MB)";
export const NODE_OUT_OF_MEMORY = "JavaScript execution ran out of memory (maximum memory usage: 512 MB)";
export const THREAD_ENDED = "The function ended the thread that it ran on.";
export const NEVER_SETTLES =
  "The function's promise was never resolved: it waits for something that cannot happen in a query or mutation, where only the database and other promises can be awaited.";
export const ACTION_TIMED_OUT = "Action execution timed out (maximum duration: 600s)";
export const ACTION_THREAD_ENDED = "The thread that this action ran on has ended. Actions run at most once.";
export const ACTION_BLOCKED = "The action was stopped, because it computed too long without a pause.";
