/** How somebody wants the pages to look. In plain cookies, so that the server renders it and nothing jumps. */

export const THEMES = ["dark", "light", "system"] as const;
export type Theme = (typeof THEMES)[number];
/** Specification 9: dark by default. */
export const DEFAULT_THEME: Theme = "dark";
export const THEME_COOKIE = "theme";
const THEME_SECONDS = 365 * 24 * 60 * 60;

/** Specification 2 and 9: the sidebar's state is kept in this cookie for 7 days. */
export const SIDEBAR_COOKIE = "sidebar_state";
const SIDEBAR_SECONDS = 7 * 24 * 60 * 60;

/** The theme that a cookie asks for; what it does not know is the default. */
export function themeFrom(value: string | null): Theme {
  return THEMES.find((theme) => theme === value) ?? DEFAULT_THEME;
}

/** Whether the sidebar is open: unless its cookie says otherwise. */
export function sidebarOpenFrom(value: string | null): boolean {
  return value !== "false";
}

/** WCAG 2.2, 2.1.4: whoever does not want keys that do something by themselves can switch them off. */
export const SHORTCUTS_COOKIE = "shortcuts";
const SHORTCUTS_SECONDS = THEME_SECONDS;

/** Whether keys without Ctrl or the like do something: unless the cookie says otherwise. */
export function shortcutsFrom(value: string | null): boolean {
  return value !== "off";
}

export function shortcutsCookie(on: boolean, secure: boolean): string {
  return cookie(SHORTCUTS_COOKIE, on ? "on" : "off", SHORTCUTS_SECONDS, secure);
}

export function themeCookie(theme: Theme, secure: boolean): string {
  return cookie(THEME_COOKIE, theme, THEME_SECONDS, secure);
}

export function sidebarCookie(open: boolean, secure: boolean): string {
  return cookie(SIDEBAR_COOKIE, String(open), SIDEBAR_SECONDS, secure);
}

/** Readable by scripts, since the browser changes it without asking the server; it says nothing about anyone. */
function cookie(name: string, value: string, seconds: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure ? "; Secure" : ""}`;
}
