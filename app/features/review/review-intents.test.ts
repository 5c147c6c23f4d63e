import type { OptimisticLocalStore } from "convex/browser";
import { type FunctionReference, getFunctionName } from "convex/server";
import { expect, it } from "vitest";
import type { Intent, RunMutation } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import { reviewIntents } from "./review-intents";

function cacheOf(answers: [FunctionReference<"query">, Record<string, unknown>, unknown][]) {
  const entries = answers.map(([query, args, value]) => ({ name: getFunctionName(query), args, value }));
  const at = (query: FunctionReference<"query">, args: unknown) =>
    entries.find(({ name, args: own }) => name === getFunctionName(query) && JSON.stringify(own) === JSON.stringify(args));
  const store: Record<keyof OptimisticLocalStore, (...args: never[]) => unknown> = {
    getQuery: (query: FunctionReference<"query">, args: unknown = {}) => at(query, args)?.value,
    getAllQueries: (query: FunctionReference<"query">) => entries.filter(({ name }) => name === getFunctionName(query)),
    setQuery(query: FunctionReference<"query">, args: unknown, value: unknown) {
      const found = at(query, args);
      if (found) found.value = value;
    },
  };
  const run: RunMutation = (_, args, optimistic) => {
    optimistic?.(store as unknown as OptimisticLocalStore, args);
    return Promise.resolve(null);
  };
  return {
    see: (query: FunctionReference<"query">, args: unknown) => at(query, args)?.value,
    send: (intent: Intent, values: Record<string, string | string[]>) => intent.run(run, values),
  };
}

const all = { designId: "d" };
const approved = { designId: "d", review: "approved" };
const cache = () =>
  cacheOf([
    [api.designImages.getDesignImagesByDesignId, all, [{ _id: "a" }, { _id: "b", review: { status: "approved", at: 1 } }]],
    [api.designImages.getDesignImagesByDesignId, approved, [{ _id: "b", review: { status: "approved", at: 1 } }]],
    [api.designs.getDesignById, { id: "d" }, { _id: "d", name: "Cover" }],
  ]);
const statusesIn = (rows: unknown) =>
  [rows].flat().map((row) => (row as { _id: string; review?: { status: string } }).review?.status ?? "none");

it("shows a new status and removes the image from a filtered list", async () => {
  const at = cache();
  await at.send(reviewIntents.reviewItem, { id: "b", status: "changesRequested", note: "" });
  expect(statusesIn(at.see(api.designImages.getDesignImagesByDesignId, all))).toEqual(["none", "changesRequested"]);
  expect(at.see(api.designImages.getDesignImagesByDesignId, approved)).toEqual([]);
});

it("removes the status of several images and of a design's page", async () => {
  const at = cache();
  await at.send(reviewIntents.reviewImages, { ids: ["a", "b"], shown: [], except: [], status: "none" });
  expect(statusesIn(at.see(api.designImages.getDesignImagesByDesignId, all))).toEqual(["none", "none"]);
  await at.send(reviewIntents.reviewItem, { id: "d", status: "inReview", note: "" });
  expect(statusesIn(at.see(api.designs.getDesignById, { id: "d" }))).toEqual(["inReview"]);
});

it("treats an unknown status as none", async () => {
  const at = cache();
  await at.send(reviewIntents.reviewItem, { id: "b", status: "nonsense", note: "" });
  expect(statusesIn(at.see(api.designImages.getDesignImagesByDesignId, all))).toEqual(["none", "none"]);
});
