import { connectedConvex } from "~/lib/data/connection/connection";
import { refusalOf } from "~/lib/data/error-responses";
import { randomId } from "~/lib/random-id";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { dismissToast, toast } from "~/lib/ui/overlays/toasts";
import { api } from "#convex/_generated/api";

/** A change that `undo.revert` can undo. `done` resolves when it is stored. */
type Step = { id: string; text: string; done: Promise<unknown>; messageId?: string };
type Direction = "undo" | "redo";

const STEPS_MAX = 20;
const steps: Record<Direction, Step[]> = { undo: [], redo: [] };

/** Sends the step as a form, for pages without a connection. Set by the page's flash messages. */
let sendForm: ((step: string, direction: Direction) => void) | null = null;
export const undoByForm = (send: typeof sendForm) => void (sendForm = send);

export async function offerUndo(step: Step): Promise<void> {
  steps.redo.length = 0;
  await offer(step, "undo", step.text);
}

export function offerStored(id: string, text: string, direction: Direction): void {
  if (steps[direction].some((step) => step.id === id)) return;
  void offer({ id, text, done: Promise.resolve() }, direction, text);
}

async function offer(step: Step, direction: Direction, text: string): Promise<void> {
  steps[direction].push(step);
  if (steps[direction].length > STEPS_MAX) steps[direction].shift();
  listen();
  try {
    await step.done;
  } catch {
    return void removeStep(step, direction);
  }
  const label = direction === "undo" ? "Undo" : "Redo";
  if (!steps[direction].includes(step)) return;
  step.messageId = randomId();
  void toast(text, { label, onClick: () => revert(step, direction), messageId: step.messageId });
}

export function revertStored(id: string, text: string, direction: Direction): void {
  if (!steps[direction].some((step) => step.id === id)) steps[direction].push({ id, text, done: Promise.resolve() });
  const step = steps[direction].find((each) => each.id === id);
  if (step) revert(step, direction);
}

function removeStep(step: Step, direction: Direction): boolean {
  const at = steps[direction].indexOf(step);
  if (at >= 0) steps[direction].splice(at, 1);
  return at >= 0;
}

let last: Promise<unknown> = Promise.resolve();

function revert(step: Step, direction: Direction): void {
  if (!removeStep(step, direction)) return;
  // After an undo by key, the button in the message would have no effect.
  if (step.messageId !== undefined) void dismissToast(step.messageId);
  const done = last.then(() => run(step, direction));
  last = done.catch(() => {});
  const [opposite, label] = direction === "undo" ? (["redo", "Undone"] as const) : (["undo", "Redone"] as const);
  void offer({ ...step, done }, opposite, `${label}: ${step.text}`);
}

/** Rejects if the step could not be undone or redone, after a message with the reason. */
async function run(step: Step, direction: Direction): Promise<void> {
  const convex = connectedConvex();
  if (!convex && navigator.onLine && sendForm) {
    sendForm(step.id, direction);
    throw new Error("Sent as a form. The response offers the reverse step.");
  }
  if (!convex) {
    steps[direction].push(step);
    void toast("You're offline. Try again when you are connected.");
    throw new Error("Offline");
  }
  await step.done;
  try {
    await convex.mutation(api.undo.revert, { step: step.id });
  } catch (error) {
    void toast(revertProblem(error));
    throw error;
  }
}

export const revertProblem = (error: unknown): string => refusalOf(error)?.message ?? "No longer possible: the item was deleted.";

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", (event) => {
    if (pressedKey(event) !== "z" || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    if (event.target instanceof Element && event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]'))
      return;
    const direction = event.shiftKey ? "redo" : "undo";
    const latest = steps[direction].at(-1);
    if (latest === undefined) return;
    event.preventDefault();
    revert(latest, direction);
  });
}
