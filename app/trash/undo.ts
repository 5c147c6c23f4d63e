import { connectedConvex } from "~/data/connection";
import { refusalOf } from "~/data/refusals";
import { toast } from "~/ui/toasts";
import { api } from "#convex/_generated/api";

/** What this page put in the trash, the last thing last, for 'Undo' by key; `done` once the deployment has it there. */
const trashed: { id: string; done: Promise<unknown> }[] = [];

/**
 * Something is on its way to the trash: from now on the key brings it back, and once it is there a message offers the same. Where it does not get
 * there is nothing to undo, and whoever sent it tells why.
 */
export async function offerUndo(text: string, id: string, done: Promise<unknown>): Promise<void> {
  const entry = { id, done };
  trashed.push(entry);
  listen();
  try {
    await done;
  } catch {
    return void take(id);
  }
  if (trashed.includes(entry)) void toast(text, { label: "Undo", onClick: () => void undo(id) });
}

function take(id: string) {
  const at = trashed.findLastIndex((each) => each.id === id);
  return at < 0 ? undefined : trashed.splice(at, 1)[0];
}

async function undo(id: string): Promise<void> {
  const entry = take(id);
  if (!entry) return;
  const convex = connectedConvex();
  if (!convex) return void toast("There is no connection. It can be restored from the trash later.");
  try {
    await entry.done;
    const { name } = await convex.mutation(api.trash.restore, { id });
    void toast(`“${name}” is back.`);
  } catch (error) {
    void toast(refusalOf(error)?.message ?? "It is no longer in the trash.");
  }
}

let listening = false;

/** Ctrl+Z, or Cmd+Z, where no text is being written, which has an undo of its own. */
function listen(): void {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "z" || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey)) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]")) return;
    const last = trashed.at(-1);
    if (last === undefined) return;
    event.preventDefault();
    void undo(last.id);
  });
}
