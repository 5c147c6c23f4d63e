import { connectedConvex } from "~/data/connection";
import { refusalOf } from "~/data/refusals";
import { toast } from "~/ui/toasts";
import { api } from "#convex/_generated/api";

/** What this page put in the trash, the last last, for 'Undo' by key; what went together as one. `done` once the deployment has it there. */
type Entry = { ids: string[]; done: Promise<unknown> };
const trashed: Entry[] = [];

/**
 * Something, or several things, are on their way to the trash: from now on the key brings them back, and once they are there a message offers the
 * same. What does not get there has nothing to undo, and whoever sent it tells why.
 */
export async function offerUndo(text: string, ids: string[], done: Promise<unknown>): Promise<void> {
  const entry = { ids, done };
  trashed.push(entry);
  listen();
  try {
    await done;
  } catch {
    return void take(entry);
  }
  if (trashed.includes(entry)) void toast(text, { label: "Undo", onClick: () => void undo(entry) });
}

function take(entry: Entry): boolean {
  const at = trashed.indexOf(entry);
  if (at >= 0) trashed.splice(at, 1);
  return at >= 0;
}

async function undo(entry: Entry): Promise<void> {
  if (!take(entry)) return;
  const convex = connectedConvex();
  if (!convex) return void toast("There is no connection. It can be restored from the trash later.");
  try {
    await entry.done;
    const [id = "", ...more] = entry.ids;
    if (more.length === 0) return void toast(`“${(await convex.mutation(api.trash.restore, { id })).name}” is back.`);
    await convex.mutation(api.many.restore, { ids: entry.ids });
    void toast(`All ${entry.ids.length} are back.`);
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
    if (event.target instanceof Element && event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]'))
      return;
    const last = trashed.at(-1);
    if (last === undefined) return;
    event.preventDefault();
    void undo(last);
  });
}
