import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { RETRY } from "~/features/accounts/session/convex/convex-token";
import { LEAVE_WARNING } from "~/features/shell/connection-status";
import { TOGGLE_KEY } from "~/features/shell/use-sidebar";
import { PROGRESS_MINIMUM, PROGRESS_TRICKLE_MS } from "~/lib/ui/navigation/navigation-progress";
import { TOASTS } from "~/lib/ui/overlays/toasts";
import { DEFAULT_THEME, SIDEBAR_COOKIE, SIDEBAR_SECONDS } from "~/lib/ui/theme/preferences";
import { SIDEBAR } from "./e2e/support/specified-sizes.ts";
import { type CitedTest, expectTests } from "./test-ids.ts";

type Row = { constant: string; value: unknown; expected: unknown; shownBy: CitedTest[] };

const MESSAGES: CitedTest = ["tests/e2e/shell/shell-messages.spec.ts", "@toasts-show-bottom-right-most-three"];
const SHELL = "tests/e2e/shell/shell.spec.ts";
const PANEL: CitedTest = [SHELL, "@panel-16rem-collapses-3rem-back-server"];
const SHEET: CitedTest = [SHELL, "@below-768-px-sheet-18rem-from"];
const KEYS: CitedTest = [SHELL, "@ctrl-b-cmd-b-toggle-panel"];
const BAR: CitedTest = [SHELL, "@bar-top-shows-while-route-loads"];
const CONNECTION: CitedTest = ["tests/e2e/shell/shell-connection.spec.ts", "@lost-connection-shown-changes-wait-leaving"];
const TOKEN: CitedTest = ["tests/e2e/accounts/session.spec.ts", "@page-stays-live-past-end-token"];
const THEME: CitedTest = [SHELL, "@dark-default-light-system-chosen-once"];

const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const defaultOf = (library: string) => ({ value: Object.hasOwn(dependencies, library), expected: true });

/** Specification 9, with sections 2 and 8: the constants that a browser shows. The cited tests measure the sizes of `SIDEBAR`. */
const SECTIONS: Record<string, Row[]> = {
  Toasts: [
    { constant: "bottom right (section 2)", value: TOASTS.position, expected: "bottom-right", shownBy: [MESSAGES] },
    { constant: "up to 3 visible", value: TOASTS.visibleToasts, expected: 3, shownBy: [MESSAGES] },
    { constant: "4000 ms", value: TOASTS.duration, expected: 4000, shownBy: [MESSAGES] },
    { constant: "width 356", value: TOASTS.width, expected: 356, shownBy: [MESSAGES] },
    { constant: "gap 14", value: TOASTS.gap, expected: 14, shownBy: [MESSAGES] },
    { constant: "swipe threshold 45", ...defaultOf("sonner"), shownBy: [MESSAGES] },
    { constant: "hotkey alt+T", value: TOASTS.hotkey, expected: ["altKey", "KeyT"], shownBy: [MESSAGES] },
  ],
  "Progress bar": [
    { constant: "minimum 0.08", value: PROGRESS_MINIMUM, expected: 0.08, shownBy: [BAR] },
    { constant: "trickle speed 800 ms", value: PROGRESS_TRICKLE_MS, expected: 800, shownBy: [BAR] },
  ],
  Sidebar: [
    { constant: "cookie sidebar_state", value: SIDEBAR_COOKIE, expected: "sidebar_state", shownBy: [PANEL] },
    { constant: "cookie lifetime 7 days", value: SIDEBAR_SECONDS, expected: 604_800, shownBy: [PANEL] },
    { constant: "width 16rem", value: SIDEBAR.width, expected: 256, shownBy: [PANEL] },
    { constant: "mobile width 18rem", value: SIDEBAR.mobileWidth, expected: 288, shownBy: [SHEET] },
    { constant: "icon width 3rem", value: SIDEBAR.iconWidth, expected: 48, shownBy: [PANEL] },
    { constant: "mobile breakpoint 768 px", value: SIDEBAR.breakpoint, expected: 768, shownBy: [SHEET] },
    { constant: "toggle key Ctrl or Cmd plus b", value: TOGGLE_KEY, expected: "b", shownBy: [KEYS] },
  ],
  Backend: [
    { constant: "websocket reconnect backoff 1 s up to 16 s", ...defaultOf("convex"), shownBy: [CONNECTION] },
    { constant: "long-disconnect report 60 s", ...defaultOf("convex"), shownBy: [CONNECTION] },
    { constant: "prewarm extension 5000 ms", ...defaultOf("convex"), shownBy: [CONNECTION] },
    { constant: "token-fetch retry base 100 ms", value: RETRY.baseMs, expected: 100, shownBy: [TOKEN] },
    { constant: "doubling to 1000 ms", value: RETRY.maxMs, expected: 1000, shownBy: [TOKEN] },
    { constant: "with 50% jitter", value: RETRY.jitter, expected: 0.5, shownBy: [TOKEN] },
    { constant: "giving up after more than 10 retries", value: RETRY.times, expected: 10, shownBy: [TOKEN] },
    {
      constant: "the text before leaving (section 8)",
      value: LEAVE_WARNING,
      expected: "Are you sure you want to leave? Your changes may not be saved.",
      shownBy: [CONNECTION],
    },
  ],
  Theme: [{ constant: "default dark", value: DEFAULT_THEME, expected: "dark", shownBy: [THEME] }],
};

describe.each(Object.entries(SECTIONS))("%s", (_, rows) => {
  it.each(rows)("$constant", ({ value, expected, shownBy }) => {
    expect(value).toEqual(expected);
    expectTests(shownBy);
  });
});
