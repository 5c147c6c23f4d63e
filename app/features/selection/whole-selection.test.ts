import { expect, it } from "vitest";
import { api } from "#convex/_generated/api";
import { BULK_MAX } from "#convex/model/rules";
import { intent } from "~/lib/forms/intents";
import { bulkIntent, DIRECT_MAX, jobSelection } from "./whole-selection";

it("has the same limit as the mutations", () => expect(DIRECT_MAX).toBe(BULK_MAX));

it('needs a job for "Select all" and for more items than one mutation changes', () => {
  const ids = (many: number) => Array.from({ length: many }, (_, each) => `i${each}`);
  expect(jobSelection("image", { ids: ids(DIRECT_MAX) })).toBeNull();
  expect(jobSelection("image", { ids: ids(DIRECT_MAX + 1) })).toEqual({ kind: "image", ids: ids(DIRECT_MAX + 1) });
  expect(jobSelection("design", { all: "project:p", ids: ["a"], shown: ["a", "b"], except: ["c"] })).toEqual({
    kind: "design",
    place: { kind: "project", id: "p" },
    ids: ["c", "b"],
  });
  expect(jobSelection("image", { all: "design:d:approved", ids: [] })).toMatchObject({
    place: { kind: "design", id: "d", review: "approved" },
  });
  expect(jobSelection("image", { all: "nonsense", ids: ["a"] })).toBeNull();
});

it("sends few items at once and starts a job for many", async () => {
  const direct = intent({ mutation: api.many.trashImages, lists: ["ids"], args: ({ ids }) => ({ ids }) });
  const trash = bulkIntent(direct, { kind: "image", action: () => ({ type: "trash" }) });
  const sent: unknown[] = [];
  const run = async (_: unknown, args: unknown) => void sent.push(args);
  await trash.run(run, { ids: ["a"], shown: [], except: [] }, "s");
  await trash.run(run, { ids: [], shown: [], except: [], all: "design:d" }, "s");
  expect(sent).toEqual([
    { ids: ["a"] },
    { kind: "image", place: { kind: "design", id: "d" }, ids: [], action: { type: "trash" }, step: "s" },
  ]);
});
