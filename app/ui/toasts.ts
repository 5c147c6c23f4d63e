/** Specification 9: how toasts stand and for how long. The swipe threshold of 45 px is sonner's own; the end-to-end tests hold it to that. */
export const TOASTS = {
  position: "bottom-right",
  visibleToasts: 3,
  duration: 4000,
  gap: 14,
  width: 356,
  hotkey: ["altKey", "KeyT"],
} as const;

let standing = false;
let ready = () => {};
const whenStanding = new Promise<void>((resolve) => (ready = resolve));

/** To be called once toasts can appear: what is told before would be lost. */
export function toasterStands(): void {
  standing = true;
  ready();
}

export const isToasterStanding = () => standing;

/** Tells something in passing, as soon as the toasts stand; `action` is a button in it. */
export async function toast(message: string, action?: { label: string; onClick: () => void }): Promise<void> {
  await whenStanding;
  const { toast } = await import("sonner");
  toast(message, action && { action });
}
