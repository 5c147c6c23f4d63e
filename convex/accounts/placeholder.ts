/** Better Auth's domain (RFC 6761, 6.4: `.invalid` is never anybody's) of the addresses that it makes up for whom a provider names without one. */
const DOMAIN = ".placeholder.invalid";

/**
 * Whether an address stands in for one that is missing: some providers (Roblox, TikTok, X, Reddit) tell none. Nothing is sent to it, and it is
 * shown to nobody.
 */
export const isPlaceholder = (email: string): boolean => email.toLowerCase().endsWith(DOMAIN);
