import type { AddressInfo } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { readyMessage } from "./addresses.ts";

const bound = (address: string): AddressInfo => ({ address, port: 3000, family: address.includes(":") ? "IPv6" : "IPv4" });
const address = (family: "IPv4" | "IPv6", text: string, internal = false): NetworkInterfaceInfo => {
  const shared = { address: text, internal, netmask: "", mac: "", cidr: null };
  return family === "IPv4" ? { ...shared, family } : { ...shared, family, scopeid: 0 };
};
const INTERFACES = {
  lo: [address("IPv4", "127.0.0.1", true), address("IPv6", "::1", true)],
  eth0: [address("IPv6", "fe80::1"), address("IPv6", "2001:db8::5"), address("IPv4", "192.168.1.20")],
};

describe("readyMessage", () => {
  it.each([
    ["0.0.0.0", "http://192.168.1.20:3000"],
    ["::", "http://192.168.1.20:3000, http://[2001:db8::5]:3000"],
  ])("lists this machine's addresses and requests APP_URL with HOST=%s", (host, listed) => {
    expect(readyMessage([], bound(host), INTERFACES).split("\n")).toEqual([
      "Atelier is ready at http://localhost:3000",
      `Other machines reach this one at ${listed}, but only the addresses in APP_URL are accepted.`,
      "Set it to the addresses that people open, the main one first: APP_URL=http://192.168.1.20:3000,http://localhost:3000",
    ]);
  });

  it.each([
    ["127.0.0.1", "http://localhost:3000"],
    ["127.0.0.2", "http://127.0.0.2:3000"],
    ["::1", "http://[::1]:3000"],
  ])("names only a loopback address with HOST=%s", (host, url) => {
    expect(readyMessage([], bound(host), INTERFACES)).toBe(`Atelier is ready at ${url}`);
  });

  it("requests APP_URL if HOST is the name of a network address", () => {
    expect(readyMessage([], bound("192.168.1.20"), INTERFACES)).toMatch(
      /accepts only the addresses in APP_URL.*APP_URL=http:\/\/192\.168\.1\.20:3000$/,
    );
  });

  it("names every origin of APP_URL", () => {
    expect(readyMessage(["https://atelier.example", "http://nas:3000"], bound("0.0.0.0"), INTERFACES)).toBe(
      "Atelier is ready at https://atelier.example and http://nas:3000",
    );
  });
});
