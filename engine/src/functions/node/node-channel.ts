/** The channel to the deployment, which pushed code does not see. */
import type { NodeStart } from "./node-process.ts";

type Listener = (message: unknown) => void;

const send = process.send?.bind(process);
const emit = process.emit.bind(process);
const exit = process.exit.bind(process);
const started = Promise.withResolvers<NodeStart>();
const waiting: unknown[] = [];
let listener: Listener | null = null;
let isStarted = false;

function receive(message: unknown): void {
  if (!isStarted) {
    isStarted = true;
    started.resolve(message as NodeStart);
  } else if (listener) {
    listener(message);
  } else {
    waiting.push(message);
  }
}

process.on("disconnect", () => exit());
// Keeps the channel referenced.
process.on("message", () => undefined);
Object.assign(process, {
  emit: (event: string, ...args: unknown[]): boolean => {
    if (event !== "message") return Reflect.apply(emit, process, [event, ...args]);
    receive(args[0]);
    return true;
  },
});
// Node itself needs the others.
for (const name of ["send", "disconnect"]) Object.defineProperty(process, name, { value: undefined, configurable: true });

export const nodeStart = started.promise;

export const post = (message: object): void => void send?.(message);

export function onMessage(receiver: Listener): void {
  listener = receiver;
  for (const message of waiting.splice(0)) receiver(message);
}
