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

/** How a design's images are shown. */
export const GALLERY_VIEWS = ["grid", "list"] as const;
export type GalleryView = (typeof GALLERY_VIEWS)[number];
export const GALLERY_VIEW_COOKIE = "gallery_view";

/** What stands behind a picture shown large: its page's own wall, or another. */
export const GROUNDS = ["wall", "black", "grey", "white", "checker"] as const;
export type Ground = (typeof GROUNDS)[number];
export const GROUND_COOKIE = "ground";

/** What a cookie asks for, of these choices; the first where it asks for none. */
export function choiceFrom<const Choice extends string>(choices: readonly [Choice, ...Choice[]], value: string | null): Choice {
  return choices.find((each) => each === value) ?? choices[0];
}

export function galleryViewCookie(view: GalleryView, secure: boolean): string {
  return cookie(GALLERY_VIEW_COOKIE, view, THEME_SECONDS, secure);
}

export function groundCookie(ground: Ground, secure: boolean): string {
  return cookie(GROUND_COOKIE, ground, THEME_SECONDS, secure);
}

/** Readable by scripts, since the browser changes it without asking the server; it says nothing about anyone. */
function cookie(name: string, value: string, seconds: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure ? "; Secure" : ""}`;
}
