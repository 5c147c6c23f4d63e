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
