import type { FunctionReference } from "convex/server";
import { getFunctionName } from "convex/server";
import { RouterContextProvider } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { testConfig } from "~/lib/http/testing";
import { exportArchive } from "./export.server";

type Query = (query: FunctionReference<"query">, args: Record<string, unknown>) => Promise<unknown>;
const query = vi.hoisted(() => vi.fn<Query>());
const mutation = vi.hoisted(() => vi.fn<Query>());
const fromStorage = vi.hoisted(() => vi.fn<() => Promise<Response>>());
vi.mock("../session/convex/service-client.server", () => ({ serviceConvex: () => ({ query, mutation }) }));
vi.mock("~/lib/http/files/from-storage.server", () => ({ fromStorage }));

const IMAGES = 100;
const BYTES = 64 * 1024;

const page = (rows: object[]) => ({ page: rows, isDone: true, continueCursor: "" });
const image = (index: number) => ({ id: `i${index}`, name: `${index}.png`, contentType: "image/png", size: BYTES, createdAt: 0 });
const images = Array.from({ length: IMAGES }, (_, index) => image(index));

beforeEach(() => {
  fromStorage.mockReset();
  fromStorage.mockImplementation(async () => new Response(new Uint8Array(BYTES)));
  query.mockImplementation(async (reference, args) => {
    switch (getFunctionName(reference).replace("accounts/archive:", "")) {
      case "projects":
        return page([{ id: "p", name: "Project" }]);
      case "designs":
        return page([
          { id: "d1", name: "One" },
          { id: "d2", name: "Two" },
        ]);
      case "images":
        return page(args["designId"] === "d1" ? images.slice(0, 1) : images.slice(1));
      case "versions":
      case "transfers":
        return [];
      case "file":
        return `http://storage/${String(args["imageId"])}`;
      case "accounts/belongings:account":
        return {};
      case "accounts/pictures:get":
        return null;
      default:
        return page([]);
    }
  });
});

function exportAll(): Promise<Response> {
  const context = new RouterContextProvider();
  context.set(configContext, testConfig);
  context.set(clientAddressContext, "192.0.2.1");
  const user = { id: "ada" };
  const visitor = { sessionId: "s", userId: "ada", user } as unknown as Parameters<typeof exportArchive>[0];
  return exportArchive(visitor, new Request("https://atelier.example/account/export"), context);
}

it("records the export in the audit log", async () => {
  mutation.mockClear();
  await exportAll();
  expect(mutation.mock.calls.map(([, args]) => args)).toEqual([{ sessionId: "s", of: "data", address: "192.0.2.0/24" }]);
});

it("opens a few files ahead, also of the next design", { tags: "@export-ahead" }, async () => {
  const reader = (await exportAll()).body?.getReader();
  while (fromStorage.mock.calls.length === 0) await reader?.read();
  await expect.poll(() => fromStorage.mock.calls.length).toBeGreaterThanOrEqual(8);
  expect(fromStorage.mock.calls.length).toBeLessThan(IMAGES / 2);
  while (!(await reader?.read())?.done);
  expect(fromStorage.mock.calls.length).toBe(IMAGES);
});

it("reads the versions of several images at once", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const answer = query.getMockImplementation();
  const requested: unknown[] = [];
  query.mockImplementation(async (reference, args) => {
    if (getFunctionName(reference) === "accounts/archive:versions") {
      requested.push(args["imageId"]);
      if (args["imageId"] !== "i0") await released;
    }
    return answer?.(reference, args);
  });
  const reading = (await exportAll()).bytes();
  await expect.poll(() => requested.length).toBeGreaterThanOrEqual(8);
  expect(requested.length).toBeLessThan(IMAGES / 2);
  release();
  expect((await reading).length).toBeGreaterThan(IMAGES * BYTES);
  expect(requested).toEqual(images.map(({ id }) => id));
});
