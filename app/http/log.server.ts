import { currentExchange } from "./exchange.server";

type Tell = (facts: object, message: string) => void;

/** What the app needs of a log; the server's is pino. */
export type Log = { info: Tell; warn: Tell; error: Tell };

const console: Log = { info() {}, warn: toConsole("warn"), error: toConsole("error") };

let sink: Log = console;

/** Where the app tells what happens to it. `facts` hold no name, address, password or token of anybody's: the log is read by others. */
export const log: Log = {
  info: (facts, message) => sink.info(named(facts), message),
  warn: (facts, message) => sink.warn(named(facts), message),
  error: (facts, message) => sink.error(named(facts), message),
};

/** The server process has a log of its own, which is used from now on. */
export function logTo(other: Log): void {
  sink = other;
}

/** With the name of the request that it happened in. */
function named(facts: object): object {
  const id = currentExchange()?.id;
  return id === undefined ? facts : { requestId: id, ...facts };
}

function toConsole(level: "warn" | "error"): Tell {
  return (facts, message) => globalThis.console[level](message, facts);
}
