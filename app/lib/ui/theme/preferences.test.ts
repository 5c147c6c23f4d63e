import { expect, it } from "vitest";
import { sidebarCookie, sidebarFrom, themeCookie, themeFrom } from "./preferences";

it("defaults to dark for missing and unknown themes", () => {
  expect([null, "", "light", "system", "dark", "<script>"].map(themeFrom)).toEqual(["dark", "dark", "light", "system", "dark", "dark"]);
});
it("defaults to an open sidebar", () => {
  expect([null, "true", "false", "hidden", "?"].map(sidebarFrom)).toEqual(["open", "open", "collapsed", "hidden", "open"]);
});
it("keeps the sidebar's state for 7 days (specification 9)", () => {
  expect(sidebarCookie("collapsed", true)).toBe("sidebar_state=false; Path=/; Max-Age=604800; SameSite=Lax; Secure");
  expect(themeCookie("light", false)).toMatch(/^theme=light; Path=\/; Max-Age=\d+; SameSite=Lax$/);
});
