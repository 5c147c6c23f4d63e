import { expect, it } from "vitest";
import { wasCreatedBy } from "./wasCreatedBy";

it("includes rows of the same millisecond", { tags: "@created-in-same-millisecond" }, () => {
  expect([999.9, 1000, 1000.001, 1000.999, 1001].map((_creationTime) => wasCreatedBy({ _creationTime }, 1000))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});
