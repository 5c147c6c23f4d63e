import type { z } from "zod";
import { invalid } from "./errors";

/**
 * Holds `input` against a rule and answers what the rule makes of it (trimmed, for instance). The one place where a broken rule becomes an
 * error: a ConvexError "invalid" with each message under its field.
 */
export function check<Rule extends z.ZodType>(rule: Rule, input: unknown): z.output<Rule> {
  const result = rule.safeParse(input);
  if (result.success) return result.data;
  const fieldErrors: Record<string, string[]> = {};
  for (const { path, message } of result.error.issues) (fieldErrors[path.join(".")] ??= []).push(message);
  throw invalid(fieldErrors);
}
