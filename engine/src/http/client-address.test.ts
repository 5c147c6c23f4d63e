import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { MemoryBudget } from "../memory/budget.ts";
import { clientAddressFrom, networkOf } from "./client-address.ts";

describe("the address that limits apply to", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
    ["unknown", "unknown"],
  ])("of '%s' is '%s'", (address, network) => expect(networkOf(address)).toBe(network));

  it("gives all connections of an IPv6 network one limit", () => {
    const limits = { connection: 10, address: 15, total: 100 };
    const budget = new MemoryBudget({ anonymous: limits, authenticated: limits });
    const open = (address: string) => {
      const request = { headers: {}, socket: { remoteAddress: address } } as IncomingMessage;
      const proxied = { headers: { "x-client": address }, socket: {} } as unknown as IncomingMessage;
      expect(clientAddressFrom("x-client")(proxied)).toBe(clientAddressFrom(undefined)(request));
      return budget.open(clientAddressFrom(undefined)(request));
    };
    expect(open("2001:db8::1").resize(10)).toBeNull();
    expect(open("2001:db8::ffff:2").resize(10)).toBe("address");
    expect(open("2001:db8:0:1::1").resize(10)).toBeNull();
  });
});
