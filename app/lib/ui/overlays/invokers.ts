import type { MouseEvent } from "react";

/** Adds invoker commands to React's types, which lack them; React passes the attributes on to the document. */
declare module "react" {
  interface ButtonHTMLAttributes<T> {
    command?: "show-modal" | "close" | "toggle-popover" | "show-popover" | "hide-popover";
    commandfor?: string;
  }
}

/** Returns the attributes of a button that opens the dialog: by command, or as a popover in browsers without commands. */
export function opensDialog(id: string) {
  return { command: "show-modal", commandfor: id, popoverTarget: id, popoverTargetAction: "show", onClick: actsFor(show) } as const;
}

export function closesDialog(id: string) {
  return { command: "close", commandfor: id, popoverTarget: id, popoverTargetAction: "hide", onClick: actsFor(close) } as const;
}

export const isShown = (dialog: HTMLDialogElement) => dialog.open || dialog.matches(":popover-open");

export function show(dialog: HTMLDialogElement): void {
  if (dialog.matches(":modal")) return;
  // Not `close()`, which would fire a `close` event.
  dialog.removeAttribute("open");
  if (dialog.matches(":popover-open")) dialog.hidePopover();
  dialog.showModal();
}

export function close(dialog: HTMLDialogElement): void {
  if (dialog.matches(":popover-open")) dialog.hidePopover();
  if (dialog.open) dialog.close();
  // Where focus cannot return, Chromium leaves it in the closed dialog until the next frame, and keys pressed by then are lost.
  const active = document.activeElement;
  if (active instanceof HTMLElement && dialog.contains(active)) active.blur();
}

function actsFor(act: (dialog: HTMLDialogElement) => void) {
  return (event: MouseEvent<HTMLButtonElement>) => {
    if ("commandForElement" in HTMLButtonElement.prototype) {
      // Browsers that support `command` warn about a button that also has `popovertarget`.
      event.currentTarget.removeAttribute("popovertarget");
      return;
    }
    const dialog = document.getElementById(event.currentTarget.getAttribute("commandfor") ?? "");
    if (!(dialog instanceof HTMLDialogElement)) return;
    event.preventDefault();
    act(dialog);
  };
}
