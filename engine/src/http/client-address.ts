import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

export type ClientAddress = (request: IncomingMessage) => string | null;

export const clientAddressFrom =
  (header: string | undefined): ClientAddress =>
  ({ headers, socket }) => {
    if (header === undefined) return networkOf(socket.remoteAddress ?? "");
    const address = headers[header];
    return address === undefined ? null : networkOf(String(address));
  };

/** Returns an IPv6 address's /64 network, which one subscriber usually has (RFC 6177), and IPv4-mapped addresses as IPv4. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [plain = ""] = address.split("%");
  // A URL normalises the notation (URL Standard, 3.5).
  const [before = "", after] = (URL.parse(`http://[${plain}]`)?.hostname ?? "").slice(1, -1).split("::");
  const head = groupsOf(before);
  const tail = groupsOf(after ?? "");
  const groups = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

const groupsOf = (text: string): number[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
