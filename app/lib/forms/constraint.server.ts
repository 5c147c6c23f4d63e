import { getZodConstraint } from "@conform-to/zod/v4";

type Rules = Parameters<typeof getZodConstraint>[0];

const constraintCache = new WeakMap<Rules, ReturnType<typeof getZodConstraint>>();

export function constraintOf(rules: Rules): ReturnType<typeof getZodConstraint> {
  const constraint = constraintCache.get(rules) ?? getZodConstraint(rules);
  constraintCache.set(rules, constraint);
  return constraint;
}
