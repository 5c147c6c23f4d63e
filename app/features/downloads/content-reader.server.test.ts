import { ConvexError } from "convex/values";
import { expect, it, vi } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { contentReader } from "./content-reader.server";

const query = vi.hoisted(() => vi.fn<() => Promise<unknown>>());
vi.mock("~/features/accounts/session/convex/service-client.server", () => ({ serviceConvex: () => ({ query }) }));

it("reads a selected item once when the list is sorted meanwhile", { tags: "@selected-once" }, async () => {
  const page = (ids: string[], isDone: boolean) => ({ page: ids.map((id) => ({ id, name: id })), isDone, continueCursor: "next" });
  query.mockResolvedValueOnce(page(["a", "b"], false)).mockResolvedValueOnce(page(["b", "a", "c"], true));
  const selection = { kind: "image" as const, place: { kind: "design" as const, id: "d" }, ids: [], until: 0 };
  const ids = [];
  for await (const { id } of contentReader({ userId: "ada", sessionId: "s" }, testConfig).selected(selection)) ids.push(id);
  expect(ids).toEqual(["a", "b", "c"]);
});

it("asks the deployment once for images that are opened together", { tags: "@opened-together" }, async () => {
  query.mockClear();
  const fileOf = (imageId: string) => ({ storageUrl: `https://storage.example/${imageId}`, contentType: "image/png", checksum: imageId });
  query.mockResolvedValueOnce([fileOf("a"), null, fileOf("c")]);
  const deleted = new ConvexError({ code: "not_found" });
  query.mockRejectedValueOnce(deleted);
  vi.stubGlobal("fetch", async (url: string) => new Response(url.slice(-1)));
  const content = contentReader({ userId: "ada", sessionId: "s" }, testConfig);
  const opening = ["a", "b", "c"].map((id) => content.original({ id, name: id }, new AbortController().signal));
  const texts = await Promise.all(opening.map(async (each) => (await each)?.text() ?? null));
  expect(texts).toEqual(["a", null, "c"]);
  expect(query).toHaveBeenCalledTimes(2);
  vi.unstubAllGlobals();
});
