import { ensureBuilt } from "../../server/build/ensure.ts";
import { BROWSERS } from "./test.ts";

export default async function setUp(): Promise<void> {
  const missing = BROWSERS.flatMap((browser) => {
    try {
      browser.check();
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  if (missing.length > 0) throw new Error(`Cannot test in Firefox and WebKit:\n${missing.map((each) => `- ${each}`).join("\n")}`);
  await ensureBuilt();
}
