import { log } from "./log.server";

const seen = new Set<string>();

/** Logs a problem of the installation, and keeps it for administrators until the next start. Call it once per problem. */
export function reportProblem(text: string): void {
  seen.add(text);
  log.warn({}, text);
}

export const seenProblems = (): string[] => [...seen];
