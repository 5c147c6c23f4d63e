import { getZodConstraint } from "@conform-to/zod/v4";
import { expect, it } from "vitest";
import * as z from "zod";
import { constraintOf } from "./constraint.server";

it("tells what conform tells of the rules, each of its own, and reads them once", () => {
  const [name, page] = [z.object({ name: z.string().max(200) }), z.object({ page: z.number().min(1).optional() })];
  for (const rules of [name, page]) expect(constraintOf(rules)).toEqual(getZodConstraint(rules));
  expect(constraintOf(name)).toBe(constraintOf(name));
});
