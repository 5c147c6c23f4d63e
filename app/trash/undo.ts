import { connectedConvex } from "~/data/browser";
import { refusalOf } from "~/data/refusals";
import { toast } from "~/ui/toasts";
import { api } from "#convex/_generated/api";

/** What this page put in the trash, the last thing last, for 'Undo' by key. */
const trashed: string[] = [];

/** Says that something went to the trash, with a button that brings it back. */
export function offerUndo(text: string, id: string): void {
  trashed.push(id);
  listen();
  void toast(text, { label: "Undo", onClick: () => void undo(id) });
}

async function undo(id: string): Promise<void> {
  const at = trashed.lastIndexOf(id);
  if (at < 0) return;
  trashed.splice(at, 1);
  const convex = connectedConvex();
  if (!convex) return void toast("There is no connection. It can be restored from the trash later.");
  try {
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
    void undo(last);
  });
}
