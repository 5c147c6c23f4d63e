import type { z } from "zod";
import { invalid } from "./errors";

/** Returns the parsed input. Throws a ConvexError "invalid" with each message under its field. */
export function check<Rule extends z.ZodType>(rule: Rule, input: unknown): z.output<Rule> {
  const result = rule.safeParse(input);
  if (result.success) return result.data;
  const fieldErrors: Record<string, string[]> = {};
  for (const { path, message } of result.error.issues) (fieldErrors[path.join(".")] ??= []).push(message);
  throw invalid(fieldErrors);
}
