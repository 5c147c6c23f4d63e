import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("loads with Node alone, and names the measures for an unknown one", async () => {
  const started = promisify(execFile)(process.execPath, [join(import.meta.dirname, "run.ts"), "nothing"]);
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no nothing\. There are: pages, .*archives\.\n$/),
  });
});
