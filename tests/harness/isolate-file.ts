/** Gives each test file of a shared process its own modules. Fails a file that leaves the process changed. */
import { afterAll, vi } from "vitest";
import { changedNames, processState } from "./process-state.ts";

vi.resetModules();
const before = processState();

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  const changed = changedNames(before, processState());
  if (changed.length > 0) throw new Error(`This file must restore ${changed.join(", ")} (tests/harness/shared-files.ts).`);
});
