import { data, redirect } from "react-router";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import {
  choiceFrom,
  DENSITIES,
  densityCookie,
  DESIGN_VIEWS,
  designViewCookies,
  GALLERY_VIEWS,
  galleryViewCookie,
  backgroundCookie,
  BACKGROUNDS,
  shortcutsCookie,
  sidebarCookie,
  themeCookie,
  themeFrom,
} from "~/lib/ui/theme/preferences";
import type { Route } from "./+types/preferences";

export const loader = methodNotAllowed("POST");

/** Pages of earlier versions send "closed". */
const sidebarOf = (value: string) => (value === "closed" || value === "collapsed" ? "collapsed" : value === "hidden" ? "hidden" : "open");

export async function action({ request, url }: Route.ActionArgs) {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: ["back", "theme", "sidebar", "shortcuts", "gallery", "density", "view", "ground"] });
  const secure = url.protocol === "https:";
  const theme = sent.get("theme");
  const sidebar = sent.get("sidebar");
  const cookies: [string, string][] = [];
  if (typeof theme === "string") cookies.push(["Set-Cookie", themeCookie(themeFrom(theme), secure)]);
  if (typeof sidebar === "string") cookies.push(["Set-Cookie", sidebarCookie(sidebarOf(sidebar), secure)]);
  const shortcuts = sent.get("shortcuts");
  if (typeof shortcuts === "string") cookies.push(["Set-Cookie", shortcutsCookie(shortcuts !== "off", secure)]);
  const gallery = sent.get("gallery");
  if (typeof gallery === "string") cookies.push(["Set-Cookie", galleryViewCookie(choiceFrom(GALLERY_VIEWS, gallery), secure)]);
  const density = sent.get("density");
  if (typeof density === "string") cookies.push(["Set-Cookie", densityCookie(choiceFrom(DENSITIES, density), secure)]);
  const view = sent.get("view");
  if (typeof view === "string")
    cookies.push(...designViewCookies(choiceFrom(DESIGN_VIEWS, view), secure).map((line): [string, string] => ["Set-Cookie", line]));
  const background = sent.get("ground");
  if (typeof background === "string") cookies.push(["Set-Cookie", backgroundCookie(choiceFrom(BACKGROUNDS, background), secure)]);
  if (cookies.length === 0) throw data(null, { status: 400, statusText: "Bad Request" });
  return redirect(safeRedirectPath(sent.get("back"), "/"), { status: 303, headers: cookies });
}
