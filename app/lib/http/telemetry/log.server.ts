import { currentExchange } from "./current-request.server";

type LogMethod = (fields: object, message: string) => void;

export type Log = { info: LogMethod; warn: LogMethod; error: LogMethod };

const console: Log = { info() {}, warn: toConsole("warn"), error: toConsole("error") };

let sink: Log = console;

export const log: Log = {
  info: (fields, message) => sink.info(named(fields), message),
  warn: (fields, message) => sink.warn(named(fields), message),
  error: (fields, message) => sink.error(named(fields), message),
};

export function logTo(other: Log): void {
  sink = other;
}

function named(fields: object): object {
  const id = currentExchange()?.id;
  return id === undefined ? fields : { requestId: id, ...fields };
}

function toConsole(level: "warn" | "error"): LogMethod {
  return (fields, message) => globalThis.console[level](message, fields);
}
