import type * as z from "zod";
import { SECRET } from "./settings.ts";

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

export function problemText(issue: z.core.$ZodIssue, env: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  return `${name} is ${SECRET.test(name) ? "invalid" : JSON.stringify(env[name])}; expected ${issue.message}`;
}
