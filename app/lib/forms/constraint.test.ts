import { getZodConstraint } from "@conform-to/zod/v4";
import { expect, it } from "vitest";
import * as z from "zod";
import { constraintOf } from "./constraint.server";

it("returns conform's constraints and computes them once per schema", () => {
  const [name, page] = [z.object({ name: z.string().max(200) }), z.object({ page: z.number().min(1).optional() })];
  for (const rules of [name, page]) expect(constraintOf(rules)).toEqual(getZodConstraint(rules));
  expect(constraintOf(name)).toBe(constraintOf(name));
});
