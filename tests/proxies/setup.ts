import prepare from "../harness/build.ts";
import { findProgram } from "../harness/programs.ts";
import { PROGRAMS } from "./programs.ts";

export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  const missing = Object.values(PROGRAMS).flatMap((program) => {
    try {
      findProgram(program);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  if (missing.length > 0) throw new Error(`Cannot test all proxies:\n${missing.map((each) => `- ${each}`).join("\n")}`);
  return prepare();
}
