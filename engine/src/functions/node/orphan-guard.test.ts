import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const PARENT = `
  import { spawn } from "node:child_process";
  import { killOrphan } from ${JSON.stringify(new URL("./orphan-guard.ts", import.meta.url).href)};
  const child = spawn(process.execPath, ["-e", "process.stdin.once('data', () => { process.stdout.write('looping'); while (true) {} })"],
    { stdio: ["pipe", "inherit", "ignore"] });
  killOrphan(child);
  child.stdin.write("start");
`;

test("a looping child ends with its parent", async () => {
  const parent = spawn(process.execPath, ["--input-type=module", "-e", PARENT], { stdio: ["ignore", "pipe", "inherit"] });
  const output: string[] = [];
  parent.stdout.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const ended = once(parent.stdout, "end");
  await expect.poll(() => output.join(""), { timeout: 30_000 }).toBe("looping");
  parent.kill("SIGKILL");
  // The child has the other end of the pipe too.
  await ended;
});
