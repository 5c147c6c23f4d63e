/** Functions use microtasks only. Ticks run after all microtasks, so a function that is still unsettled is stuck. */
const nextTick = process.nextTick.bind(process);

export type Settled = { kind: "value"; text: string } | { kind: "error"; error: unknown } | { kind: "stuck" };

export function settleOrIdle(promise: Promise<string>): Promise<Settled> {
  let ending: Settled = { kind: "stuck" };
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
