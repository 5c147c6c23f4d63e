import { isIPv4, isIPv6 } from "node:net";
import { normalizeIP } from "@better-auth/core/utils/ip";
import type { RouterContextProvider } from "react-router";
import { clientAddressContext } from "./context";

/** Returns the network of an address: IPv4 to 24 bits, IPv6 to 48. Null for anything else. */
export function networkOf(address: string): string | null {
  const normal = normalizeIP(address, { ipv6Subnet: 48 });
  if (isIPv4(normal)) return `${normal.slice(0, normal.lastIndexOf("."))}.0/24`;
  // URL hosts have one notation (URL Standard, 3.5).
  return isIPv6(normal) ? `${new URL(`http://[${normal}]`).hostname.slice(1, -1)}/48` : null;
}

export function clientNetwork(context: Readonly<RouterContextProvider>): { address?: string } {
  const address = networkOf(context.get(clientAddressContext));
  return address === null ? {} : { address };
}
