import type { MouseEvent } from "react";

/**
 * Invoker commands (`command`, `commandfor`: HTML, "The button element") in React's types, which do not know them yet. React passes them on
 * to the document as they are.
 */
declare module "react" {
  interface ButtonHTMLAttributes<T> {
    command?: "show-modal" | "close" | "toggle-popover" | "show-popover" | "hide-popover";
    commandfor?: string;
  }
}

/** The attributes of a button that opens the dialog with this id: by command, or as a popover where commands are unknown. */
export function opensDialog(id: string) {
  return { command: "show-modal", commandfor: id, popoverTarget: id, popoverTargetAction: "show", onClick: actsFor(show) } as const;
}

/** The attributes of a button that closes the dialog with this id. */
export function closesDialog(id: string) {
  return { command: "close", commandfor: id, popoverTarget: id, popoverTargetAction: "hide", onClick: actsFor(close) } as const;
}

/** Whether a dialog stands on the page, in whichever of its ways. */
export const isShown = (dialog: HTMLDialogElement) => dialog.open || dialog.matches(":popover-open");

/** Opens a dialog as a modal one, whatever state the document came in. */
export function show(dialog: HTMLDialogElement): void {
  if (dialog.matches(":modal")) return;
  // Not by `close()`, which would tell of a closing.
  dialog.removeAttribute("open");
  if (dialog.matches(":popover-open")) dialog.hidePopover();
  dialog.showModal();
}

/** Closes a dialog, however it was opened. */
export function close(dialog: HTMLDialogElement): void {
  if (dialog.matches(":popover-open")) dialog.hidePopover();
  if (dialog.open) dialog.close();
}

/** For browsers without invoker commands but with scripts: does the same by hand, and keeps the popover from opening beside it. */
function actsFor(act: (dialog: HTMLDialogElement) => void) {
  return (event: MouseEvent<HTMLButtonElement>) => {
    if ("commandForElement" in HTMLButtonElement.prototype) {
      // Of the two ways the browser takes the command, and would complain about the other on the console.
      event.currentTarget.removeAttribute("popovertarget");
      return;
    }
    const dialog = document.getElementById(event.currentTarget.getAttribute("commandfor") ?? "");
    if (!(dialog instanceof HTMLDialogElement)) return;
    event.preventDefault();
    act(dialog);
  };
}
