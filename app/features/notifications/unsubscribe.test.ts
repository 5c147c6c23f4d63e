import { expect, it } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { subscriptionOf, unsubscribeAddress } from "./unsubscribe.server";

const config = { ...testConfig, publicUrl: "https://atelier.example" };
const tokenIn = (address: string) => new URL(address).searchParams.get("token");

it("opens an address of this server, and no other", () => {
  const address = unsubscribeAddress(config, { userId: "u1", from: "reply" });
  expect(address).toMatch(/^https:\/\/atelier\.example\/unsubscribe\?token=[\w-]+$/);
  expect(subscriptionOf(config, tokenIn(address))).toEqual({ userId: "u1", from: "reply" });
  const foreign = unsubscribeAddress({ ...config, secret: "another secret" }, { userId: "u1", from: "reply" });
  for (const token of [tokenIn(foreign), tokenIn(address)?.slice(1) ?? "", "", "x".repeat(2000), null])
    expect(subscriptionOf(config, token)).toBeNull();
});
