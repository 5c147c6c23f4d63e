import type { AddressInfo, Server } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";
import { isLoopback } from "./request-origin.ts";

type Interfaces = Record<string, NetworkInterfaceInfo[] | undefined>;

export function readyMessage(origins: readonly string[], bound: AddressInfo, interfaces: Interfaces = networkInterfaces()): string {
  if (origins.length > 0) return `Atelier is ready at ${origins.join(" and ")}`;
  const at = (address: string) => `http://${address.includes(":") ? `[${address}]` : address}:${bound.port}`;
  const local = WILDCARDS.has(bound.address) || bound.address === "127.0.0.1" ? at("localhost") : at(bound.address);
  // HOST can be a name that resolves to a network address. `settings-conflicts.ts` rejects literal network addresses.
  if (!WILDCARDS.has(bound.address) && !isLoopback(new URL(local).hostname))
    return `Atelier listens on ${local}, but accepts only the addresses in APP_URL. Set it to the address that people open: APP_URL=${local}`;
  const ready = `Atelier is ready at ${local}`;
  const network = WILDCARDS.has(bound.address) ? networkAddresses(bound.address === "::", interfaces).map(at) : [];
  const [example] = network;
  if (example === undefined) return ready;
  return `${ready}
Other machines reach this one at ${network.join(", ")}, but only the addresses in APP_URL are accepted.
Set it to the addresses that people open, the main one first: APP_URL=${example},${local}`;
}

export function boundAddress(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port");
  return address;
}

const WILDCARDS = new Set(["0.0.0.0", "::"]);

function networkAddresses(ipv6Too: boolean, interfaces: Interfaces): string[] {
  const all = Object.values(interfaces)
    .flatMap((each) => each ?? [])
    .filter(({ internal, family, address }) => !internal && (family === "IPv4" || (ipv6Too && !/^fe[89ab]/i.test(address))));
  return [...all.filter(({ family }) => family === "IPv4"), ...all.filter(({ family }) => family === "IPv6")].map(({ address }) => address);
}
