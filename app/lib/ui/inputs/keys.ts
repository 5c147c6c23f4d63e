import { SHORTCUTS_COOKIE, shortcutsFrom } from "../theme/preferences";

export function areSingleKeysOn(): boolean {
  const cookie = document.cookie.split("; ").find((each) => each.startsWith(`${SHORTCUTS_COOKIE}=`));
  return shortcutsFrom(cookie?.split("=")[1] ?? null);
}

export function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], :popover-open")) return true;
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

type Press = Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "isComposing">;

/** Returns the letter on Latin layouts (Dvorak, AZERTY), on others that of the key's position. Returns "" during composition. */
export function pressedKey({ key, code, shiftKey, isComposing }: Press): string {
  if (isComposing) return "";
  if (/^[A-Z][A-Za-z\d]+$/.test(key)) return key;
  const normalized = key.normalize("NFKC").toLowerCase();
  if (/^[ -~]$|\p{Script=Latin}/u.test(normalized)) return normalized;
  const printed = /^(?:Key([A-Z])|(?:Digit|Numpad)(\d))$/.exec(code);
  if (code === "Slash" && shiftKey) return "?";
  return (printed?.[1] ?? printed?.[2] ?? normalized).toLowerCase();
}
