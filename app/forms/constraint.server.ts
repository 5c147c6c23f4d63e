import { getZodConstraint } from "@conform-to/zod/v4";

type Rules = Parameters<typeof getZodConstraint>[0];

const known = new WeakMap<Rules, ReturnType<typeof getZodConstraint>>();

/** HTML's attributes for the fields of a form, by the rules for it. Rules do not change, so each is read once and not for each request. */
export function constraintOf(rules: Rules): ReturnType<typeof getZodConstraint> {
  const constraint = known.get(rules) ?? getZodConstraint(rules);
  known.set(rules, constraint);
  return constraint;
}
