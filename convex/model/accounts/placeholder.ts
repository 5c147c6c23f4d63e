/** Better Auth's domain for users without an address (RFC 6761, 6.4 reserves `.invalid`). */
const DOMAIN = ".placeholder.invalid";

/** Returns whether an address is a placeholder, as for Roblox, TikTok, X and Reddit. Placeholders are never used or shown. */
export const isPlaceholder = (email: string): boolean => email.toLowerCase().endsWith(DOMAIN);
