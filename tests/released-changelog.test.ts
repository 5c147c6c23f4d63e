import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { releasedChangelog } from "./released-changelog.ts";

const DAY = new Date("2026-12-01T10:00:00Z");
const unreleased = "# Changelog\n\n## Unreleased\n\n### Steps for operators\n\n- None.\n\n### Added\n\n- Tags.\n";

it("dates the unreleased section, and adds an empty one", () => {
  expect(releasedChangelog(unreleased, "1.2.0", DAY)).toBe(
    "# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-12-01)\n\n### Steps for operators\n\n- None.\n\n### Added\n\n- Tags.\n",
  );
});

it.each([
  ["without steps for operators", unreleased.replace("### Steps for operators\n\n- None.\n", "")],
  ["with empty steps", unreleased.replace("- None.\n", "")],
  ["with the steps of an earlier version only", `# Changelog\n\n## Unreleased\n\n${unreleased.replace("## Unreleased", "## 1.1.0")}`],
])("refuses a section %s", (_how, text) => {
  expect(() => releasedChangelog(text, "1.2.0", DAY)).toThrow("Steps for operators");
});

it("accepts the current changelog", () => {
  expect(releasedChangelog(readFileSync("CHANGELOG.md", "utf8"), "9.9.9", DAY)).toContain("## 9.9.9 (2026-12-01)");
});
