/**
 * Functions on the transactor live on microtasks alone, so a function has ended, or never will, once no microtask is left. That moment
 * is Node's next tick: ticks that microtasks ask for come when all microtasks have run, before anything else happens.
 */
const nextTick = process.nextTick.bind(process);

export type Ending = { kind: "value"; text: string } | { kind: "error"; error: unknown } | { kind: "stuck" };

/** How a promise stands when nothing is left to run; what its function left behind has run then, too. */
export function untilQuiet(promise: Promise<string>): Promise<Ending> {
  let ending: Ending = { kind: "stuck" };
  promise.then(
    (text) => {
      ending = { kind: "value", text };
    },
    (error: unknown) => {
      ending = { kind: "error", error };
    },
  );
  return new Promise((resolve) => {
    queueMicrotask(() => nextTick(() => resolve(ending)));
  });
}
