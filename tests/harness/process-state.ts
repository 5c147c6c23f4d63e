const EVENTS = ["message", "SIGINT", "SIGTERM", "uncaughtException", "unhandledRejection", "warning"] as const;
/** Set by packages when they load: registries by convention, and the folder of sharp's library. */
const SET_BY_PACKAGES = /^(?:Symbol\(|__|process\.env\.VIPSHOME$)/;

export type ProcessState = Map<string, unknown>;

/** Returns the process's globals, clock, random numbers, variables, working directory, exit code and numbers of listeners. */
export function processState(): ProcessState {
  const globals = Reflect.ownKeys(globalThis).map((key): [string, unknown] => [
    String(key),
    Object.getOwnPropertyDescriptor(globalThis, key)?.value,
  ]);
  return new Map([
    ...globals,
    ...Object.entries(process.env).map(([name, value]): [string, unknown] => [`process.env.${name}`, value]),
    ...EVENTS.map((event): [string, unknown] => [`listeners of ${event}`, process.listenerCount(event)]),
    ["Date.now", Date.now],
    ["Math.random", Math.random],
    ["process.cwd()", process.cwd()],
    ["process.exitCode", process.exitCode],
  ]);
}

/** Returns the names of what differs between two states, without what packages set when they load. */
export const changedNames = (before: ProcessState, after: ProcessState): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !SET_BY_PACKAGES.test(name) && !Object.is(before.get(name), after.get(name)),
  );
