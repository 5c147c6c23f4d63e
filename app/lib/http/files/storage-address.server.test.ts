import { expect, it } from "vitest";
import { storageAddress } from "./storage-address.server";

const browserConvex = { kind: "direct" as const, url: "https://convex.example" };

it("replaces the public origin of the deployment, and no other", () => {
  const config = { convexUrl: "http://convex:3210", browserConvex };
  expect(storageAddress(config, "https://convex.example/api/storage/1?token=2")).toBe("http://convex:3210/api/storage/1?token=2");
  expect(storageAddress(config, "https://convex.example.org/1")).toBe("https://convex.example.org/1");
});

it("keeps addresses of the embedded deployment", () => {
  const config = { convexUrl: "http://127.0.0.1:3210", browserConvex: { kind: "sameOrigin" as const, prefix: "/convex" as const } };
  expect(storageAddress(config, "http://127.0.0.1:3210/api/storage/1")).toBe("http://127.0.0.1:3210/api/storage/1");
});
