/** Specification 9: how toasts stand and for how long. The swipe threshold of 45 px is sonner's own; the end-to-end tests hold it to that. */
export const TOASTS = {
  position: "bottom-right",
  visibleToasts: 3,
  duration: 4000,
  gap: 14,
  width: 356,
  hotkey: ["altKey", "KeyT"],
} as const;

/** Tells something in passing. Loads the toasts with the first one. */
export async function toast(message: string): Promise<void> {
  const { toast } = await import("sonner");
  toast(message);
}
