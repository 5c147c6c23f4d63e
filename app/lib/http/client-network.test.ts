import { expect, it } from "vitest";
import { networkOf } from "./client-network.server";

it.each([
  ["203.0.113.77", "203.0.113.0/24"],
  ["::ffff:203.0.113.77", "203.0.113.0/24"],
  ["2001:db8:aaaa:bbbb:cccc::1", "2001:db8:aaaa::/48"],
  ["2001:DB8::1", "2001:db8::/48"],
  ["::1", "::/48"],
  ["", null],
  ["unknown", null],
])("truncates %s to its network", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
