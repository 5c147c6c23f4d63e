import { data, redirect } from "react-router";
import { safeTarget } from "~/accounts/safe-target";
import { formOf } from "~/http/form.server";
import {
  choiceFrom,
  GALLERY_VIEWS,
  galleryViewCookie,
  groundCookie,
  GROUNDS,
  shortcutsCookie,
  sidebarCookie,
  themeCookie,
  themeFrom,
} from "~/ui/preferences";
import type { Route } from "./+types/preferences";

/** Keeps a preference for browsers without scripts, and leads back to the page that the form stood in. */
export async function action({ request, url }: Route.ActionArgs) {
  const sent = await formOf(request);
  const secure = url.protocol === "https:";
  const theme = sent.get("theme");
  const sidebar = sent.get("sidebar");
  const cookies: [string, string][] = [];
  if (typeof theme === "string") cookies.push(["Set-Cookie", themeCookie(themeFrom(theme), secure)]);
  if (typeof sidebar === "string") cookies.push(["Set-Cookie", sidebarCookie(sidebar !== "closed", secure)]);
  const shortcuts = sent.get("shortcuts");
  if (typeof shortcuts === "string") cookies.push(["Set-Cookie", shortcutsCookie(shortcuts !== "off", secure)]);
  const gallery = sent.get("gallery");
  if (typeof gallery === "string") cookies.push(["Set-Cookie", galleryViewCookie(choiceFrom(GALLERY_VIEWS, gallery), secure)]);
  const ground = sent.get("ground");
  if (typeof ground === "string") cookies.push(["Set-Cookie", groundCookie(choiceFrom(GROUNDS, ground), secure)]);
  if (cookies.length === 0) throw data(null, { status: 400, statusText: "Bad Request" });
  return redirect(safeTarget(sent.get("back"), "/"), { status: 303, headers: cookies });
}
