/** Display preferences, in plain cookies so that the server renders them without a layout shift. */

export const THEMES = ["dark", "light", "system"] as const;
export type Theme = (typeof THEMES)[number];
export const DEFAULT_THEME: Theme = "dark";
export const THEME_COOKIE = "theme";
export const THEME_SECONDS = 365 * 24 * 60 * 60;

export const SIDEBAR_COOKIE = "sidebar_state";
export const SIDEBAR_SECONDS = 7 * 24 * 60 * 60;

export const PROJECT_LIST_COOKIE = "project_list";

export function projectListCookie(open: boolean, secure: boolean): string {
  return cookie(PROJECT_LIST_COOKIE, open ? "open" : "closed", SIDEBAR_SECONDS, secure);
}

export function themeFrom(value: string | null): Theme {
  return THEMES.find((theme) => theme === value) ?? DEFAULT_THEME;
}

/** Specification 2, on wide screens; "hidden" is off-canvas. */
export type SidebarState = "open" | "collapsed" | "hidden";
const SIDEBAR_VALUES: Record<SidebarState, string> = { open: "true", collapsed: "false", hidden: "hidden" };

export function sidebarFrom(value: string | null): SidebarState {
  return value === SIDEBAR_VALUES.collapsed ? "collapsed" : value === SIDEBAR_VALUES.hidden ? "hidden" : "open";
}

/** WCAG 2.2, 2.1.4: users can disable single-key shortcuts. */
export const SHORTCUTS_COOKIE = "shortcuts";
const SHORTCUTS_SECONDS = THEME_SECONDS;

export function shortcutsFrom(value: string | null): boolean {
  return value !== "off";
}

export function shortcutsCookie(on: boolean, secure: boolean): string {
  return cookie(SHORTCUTS_COOKIE, on ? "on" : "off", SHORTCUTS_SECONDS, secure);
}

export const TIME_ZONE_COOKIE = "time_zone";

export function timeZoneCookie(timeZone: string, secure: boolean): string {
  return cookie(TIME_ZONE_COOKIE, timeZone, THEME_SECONDS, secure);
}

export function themeCookie(theme: Theme, secure: boolean): string {
  return cookie(THEME_COOKIE, theme, THEME_SECONDS, secure);
}

export function sidebarCookie(state: SidebarState, secure: boolean): string {
  return cookie(SIDEBAR_COOKIE, SIDEBAR_VALUES[state], SIDEBAR_SECONDS, secure);
}

export const GALLERY_VIEWS = ["grid", "list"] as const;
export type GalleryView = (typeof GALLERY_VIEWS)[number];
export const GALLERY_VIEW_COOKIE = "gallery_view";

export const DENSITIES = ["medium", "small", "large"] as const;
export type Density = (typeof DENSITIES)[number];
export const DENSITY_COOKIE = "density";

export const DESIGN_VIEWS = [...DENSITIES, "list"] as const;
export type DesignView = (typeof DESIGN_VIEWS)[number];

export const BACKGROUNDS = ["wall", "black", "grey", "white", "checker"] as const;
export type Background = (typeof BACKGROUNDS)[number];
export const BACKGROUND_COOKIE = "ground";

export function choiceFrom<const Choice extends string>(choices: readonly [Choice, ...Choice[]], value: string | null): Choice {
  return choices.find((each) => each === value) ?? choices[0];
}

export function galleryViewCookie(view: GalleryView, secure: boolean): string {
  return cookie(GALLERY_VIEW_COOKIE, view, THEME_SECONDS, secure);
}

export function densityCookie(density: Density, secure: boolean): string {
  return cookie(DENSITY_COOKIE, density, THEME_SECONDS, secure);
}

export function designViewCookies(view: DesignView, secure: boolean): string[] {
  return view === "list" ? [galleryViewCookie(view, secure)] : [galleryViewCookie("grid", secure), densityCookie(view, secure)];
}

export function backgroundCookie(background: Background, secure: boolean): string {
  return cookie(BACKGROUND_COOKIE, background, THEME_SECONDS, secure);
}

/** Returns a cookie that scripts can read, because the browser changes it without the server. It contains no personal data. */
export function cookie(name: string, value: string, seconds: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure ? "; Secure" : ""}`;
}
