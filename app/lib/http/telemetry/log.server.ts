import { currentExchange } from "./current-request.server";

type LogMethod = (facts: object, message: string) => void;

export type Log = { info: LogMethod; warn: LogMethod; error: LogMethod };

const console: Log = { info() {}, warn: toConsole("warn"), error: toConsole("error") };

let sink: Log = console;

/** The app's log. `facts` must not contain names, addresses, passwords or tokens. */
export const log: Log = {
  info: (facts, message) => sink.info(named(facts), message),
  warn: (facts, message) => sink.warn(named(facts), message),
  error: (facts, message) => sink.error(named(facts), message),
};

export function logTo(other: Log): void {
  sink = other;
}

function named(facts: object): object {
  const id = currentExchange()?.id;
  return id === undefined ? facts : { requestId: id, ...facts };
}

function toConsole(level: "warn" | "error"): LogMethod {
  return (facts, message) => globalThis.console[level](message, facts);
}
