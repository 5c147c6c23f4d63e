import { expect, it } from "vitest";
import { randomId } from "./random-id";

it("returns another id of the requested length for each call", () => {
  const ids = Array.from({ length: 100 }, () => randomId(9));
  expect(new Set(ids).size).toBe(100);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{18}$/);
});
