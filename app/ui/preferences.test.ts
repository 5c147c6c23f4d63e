import { expect, it } from "vitest";
import { sidebarCookie, sidebarOpenFrom, themeCookie, themeFrom } from "./preferences";

it("is dark unless something else that it knows was chosen", () => {
  expect([null, "", "light", "system", "dark", "<script>"].map(themeFrom)).toEqual(["dark", "dark", "light", "system", "dark", "dark"]);
});
it("is open unless it was closed", () => {
  expect([null, "true", "false", "?"].map(sidebarOpenFrom)).toEqual([true, true, false, true]);
});
it("keeps the sidebar's state for 7 days (specification 9)", () => {
  expect(sidebarCookie(false, true)).toBe("sidebar_state=false; Path=/; Max-Age=604800; SameSite=Lax; Secure");
  expect(themeCookie("light", false)).toMatch(/^theme=light; Path=\/; Max-Age=\d+; SameSite=Lax$/);
});
