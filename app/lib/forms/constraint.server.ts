import { getZodConstraint } from "@conform-to/zod/v4";

type Rules = Parameters<typeof getZodConstraint>[0];

const known = new WeakMap<Rules, ReturnType<typeof getZodConstraint>>();

/** Caches constraints, because schemas do not change. */
export function constraintOf(rules: Rules): ReturnType<typeof getZodConstraint> {
  const constraint = known.get(rules) ?? getZodConstraint(rules);
  known.set(rules, constraint);
  return constraint;
}
