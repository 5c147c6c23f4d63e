import { expect, it, vi } from "vitest";
import { loader } from "./bulk";

let states: string[] = [];
vi.mock("~/lib/data/convex.server", () => ({
  convexFor: () => ({ preload: async () => ({ value: states.map((state) => ({ state })) }) }),
}));

const load = async (jobs: string[]) => {
  states = jobs;
  const { init } = await loader({ context: {} } as Parameters<typeof loader>[0]);
  return new Headers(init?.headers).get("Refresh");
};

it("reloads the page while a job runs, and not after it", async () => {
  expect(await load(["done", "running"])).toBe("3");
  expect(await load(["done", "cancelled"])).toBeNull();
  expect(await load([])).toBeNull();
});
