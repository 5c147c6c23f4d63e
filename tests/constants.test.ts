import { globSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { expectShown, type ShownBy, sourceOf } from "./shown-by.ts";

type Row = {
  /** A constant as the specification has it. */
  constant: string;
  /** Where it stands in our sources, and how; a library's own, where it is that and left untouched. */
  stands: [file: string, line: RegExp] | { ownOf: string };
  /** What reads it from the running app. */
  shownBy: ShownBy[];
};

const MESSAGES: ShownBy = [
  "tests/e2e/shell-messages.spec.ts",
  "toasts stand bottom right, three at a time, for four seconds, and are reached by a key",
];
const SHELL = "tests/e2e/shell.spec.ts";
const PANEL: ShownBy = [SHELL, "a panel of 16rem collapses to 3rem and back, and the server remembers it"];
const SHEET: ShownBy = [SHELL, "below 768 px it is a sheet of 18rem from the left"];
const KEYS: ShownBy = [SHELL, "Ctrl+b and Cmd+b toggle the panel, or the sheet"];
const BAR: ShownBy = [SHELL, "a bar at the top shows while a route loads"];
const CONNECTION: ShownBy = [
  "tests/e2e/shell-connection.spec.ts",
  "a lost connection is told quietly, changes wait and go out once, and leaving asks first",
];
const TOKEN: ShownBy = ["tests/e2e/session.spec.ts", "a page stays live past the end of its token, over a network that fails at first"];
const THEME: ShownBy = [SHELL, "dark by default; light and system are chosen once and rendered by the server"];

/** Specification 9, and what sections 2 and 8 say of the same: all that a browser has of it. What servers have is tested with the auth API and the deployment. */
const SECTIONS: Record<string, Row[]> = {
  Toasts: [
    { constant: "bottom right (section 2)", stands: ["app/ui/toasts.ts", /position: "bottom-right"/], shownBy: [MESSAGES] },
    { constant: "up to 3 visible", stands: ["app/ui/toasts.ts", /visibleToasts: 3,/], shownBy: [MESSAGES] },
    { constant: "4000 ms", stands: ["app/ui/toasts.ts", /duration: 4000,/], shownBy: [MESSAGES] },
    { constant: "width 356", stands: ["app/ui/toasts.ts", /width: 356,/], shownBy: [MESSAGES] },
    { constant: "gap 14", stands: ["app/ui/toasts.ts", /gap: 14,/], shownBy: [MESSAGES] },
    { constant: "swipe threshold 45", stands: { ownOf: "sonner" }, shownBy: [MESSAGES] },
    { constant: "hotkey alt+T", stands: ["app/ui/toasts.ts", /hotkey: \["altKey", "KeyT"\]/], shownBy: [MESSAGES] },
  ],
  "Progress bar": [
    { constant: "minimum 0.08", stands: ["app/ui/navigation-progress.tsx", /const PROGRESS_MINIMUM = 0\.08;/], shownBy: [BAR] },
    { constant: "trickle speed 800 ms", stands: ["app/ui/navigation-progress.tsx", /const PROGRESS_TRICKLE_MS = 800;/], shownBy: [BAR] },
  ],
  Sidebar: [
    { constant: "cookie sidebar_state", stands: ["app/ui/preferences.ts", /SIDEBAR_COOKIE = "sidebar_state";/], shownBy: [PANEL] },
    { constant: "cookie lifetime 7 days", stands: ["app/ui/preferences.ts", /SIDEBAR_SECONDS = 7 \* 24 \* 60 \* 60;/], shownBy: [PANEL] },
    { constant: "width 16rem", stands: ["app/shell/shell.css", /--sidebar-width: 16rem;/], shownBy: [PANEL] },
    { constant: "mobile width 18rem", stands: ["app/shell/shell.css", /--sidebar-mobile-width: 18rem;/], shownBy: [SHEET] },
    { constant: "icon width 3rem", stands: ["app/shell/shell.css", /--sidebar-icon-width: 3rem;/], shownBy: [PANEL] },
    { constant: "mobile breakpoint 768 px", stands: ["app/ui/tokens.css", /--breakpoint-md: 768px;/], shownBy: [SHEET] },
    { constant: "toggle key Ctrl or Cmd plus b", stands: ["app/shell/use-sidebar.ts", /TOGGLE_KEY = "b";/], shownBy: [KEYS] },
  ],
  Backend: [
    { constant: "websocket reconnect backoff 1 s up to 16 s", stands: { ownOf: "convex" }, shownBy: [CONNECTION] },
    { constant: "long-disconnect report 60 s", stands: { ownOf: "convex" }, shownBy: [CONNECTION] },
    { constant: "prewarm extension 5000 ms", stands: { ownOf: "convex" }, shownBy: [CONNECTION] },
    {
      constant: "token-fetch retry base 100 ms",
      stands: ["app/accounts/convex-token.ts", /RETRY = \{ baseMs: 100,/],
      shownBy: [TOKEN],
    },
    { constant: "doubling to 1000 ms", stands: ["app/accounts/convex-token.ts", /maxMs: 1000,/], shownBy: [TOKEN] },
    { constant: "with 50% jitter", stands: ["app/accounts/convex-token.ts", /jitter: 0\.5,/], shownBy: [TOKEN] },
    { constant: "giving up after more than 10 retries", stands: ["app/accounts/convex-token.ts", /times: 10 \};/], shownBy: [TOKEN] },
    {
      constant: "'Are you sure you want to leave? Your changes may not be saved.' (section 8)",
      stands: ["app/shell/connection-mark.tsx", /LEAVE = "Are you sure you want to leave\? Your changes may not be saved\.";/],
      shownBy: [CONNECTION],
    },
  ],
  Theme: [{ constant: "default dark", stands: ["app/ui/preferences.ts", /DEFAULT_THEME: Theme = "dark";/], shownBy: [THEME] }],
};

const OURS = globSync("app/**/*.{ts,tsx,css}").filter((file) => !/\.test\.tsx?$/.test(file));
const LIBRARIES = Object.keys(JSON.parse(sourceOf("package.json")).dependencies);

/** The one place where it is to stand, the places where it does, and what is said there of where it comes from. */
function standing(stands: Row["stands"]): { wanted: string; found: string[]; said: string } {
  if (!Array.isArray(stands)) {
    const { ownOf } = stands;
    return { wanted: ownOf, found: LIBRARIES.filter((each) => each === ownOf), said: "Specification 9, left to the library" };
  }
  const [wanted, line] = stands;
  return { wanted, found: OURS.filter((each) => line.test(sourceOf(each))), said: sourceOf(wanted) };
}

describe.each(Object.entries(SECTIONS))("%s", (_, rows) => {
  it.each(rows)("$constant", ({ stands, shownBy }) => {
    const { wanted, found, said } = standing(stands);
    expect(found).toEqual([wanted]);
    expect(said).toMatch(/Specification (?:\d and )?[89]\b/);
    expectShown(shownBy);
  });
});
