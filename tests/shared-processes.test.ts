import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { appTestsInSharedProcesses, needsOwnProcess } from "./harness/shared-processes.ts";

it("tests in convex/ replace no modules, because they share loaded modules", () => {
  const paths = globSync("convex/**/*.test.ts");
  expect(paths).toContain("convex/access.test.ts");
  expect(paths.filter(needsOwnProcess)).toEqual([]);
});

it.each([
  ["replaces modules", "app/lib/forms/live-action.test.ts"],
  ["needs a DOM", "app/lib/ui/overlays/announcer.test.tsx"],
  ["uses sharp", "app/features/accounts/settings/two-factor-setup.test.ts"],
  ["loads the codecs", "app/features/images/codecs/exif.test.ts"],
])("gives a test that %s a process of its own", (_, path) => {
  const shared = appTestsInSharedProcesses();
  expect(shared).toContain("app/lib/forms/parse-form.test.ts");
  expect(globSync(path)).toEqual([path]);
  expect(shared).not.toContain(path);
});
