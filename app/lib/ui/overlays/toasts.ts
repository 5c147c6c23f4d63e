/** Specification 9. The swipe threshold of 45 px is sonner's default; the end-to-end tests check it. */
export const TOASTS = {
  position: "bottom-right",
  mirroredPosition: "bottom-left",
  visibleToasts: 3,
  duration: 4000,
  gap: 14,
  width: 356,
  hotkey: ["altKey", "KeyT"],
} as const;

let isReady = false;
let ready = () => {};
const whenReady = new Promise<void>((resolve) => (ready = resolve));

/** Must be called once toasts can appear: sonner drops earlier ones. */
export function markToasterReady(): void {
  isReady = true;
  ready();
}

export const isToasterReady = () => isReady;

type Action = { label: string; onClick: () => void; messageId?: string };

export async function toast(message: string, action?: Action): Promise<void> {
  await whenReady;
  const { toast } = await import("sonner");
  toast(message, action && { action, ...(action.messageId !== undefined && { id: action.messageId }) });
}

export async function dismissToast(messageId: string): Promise<void> {
  await whenReady;
  const { toast } = await import("sonner");
  toast.dismiss(messageId);
}
