import type { LookupAddress, LookupAllOptions } from "node:dns";
import { Resolver } from "node:dns/promises";
import { callbackify } from "node:util";

export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const LIMITS = { timeout: 2000, tries: 2 };

/** Resolves names that users choose. With `dns.lookup`, slow name servers would block the two threads that all look-ups share. */
export function createDnsLookup(resolver = new Resolver(LIMITS)): Lookup {
  const find = callbackify(async (hostname: string): Promise<LookupAddress[]> => {
    // RFC 6761, 6.3: these names always mean this machine.
    if (/(?:^|\.)localhost\.?$/i.test(hostname)) throw new Error("The address is not public.");
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (addresses.length === 0 && four.status === "rejected") throw four.reason;
    return addresses;
  });
  return (hostname, _options, callback) => find(hostname, callback);
}

const addressesOf = (found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  found.status === "fulfilled" ? found.value.map((address) => ({ address, family })) : [];
