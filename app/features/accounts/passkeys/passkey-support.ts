/* oxlint-disable no-restricted-globals -- this is the check */

/** "insecure": the page is on plain http, where browsers offer no passkeys (WebAuthn needs a secure context). */
export type PasskeySupport = "available" | "insecure" | "unsupported";

export function passkeySupport(): PasskeySupport {
  if (!isSecureContext) return "insecure";
  const available = typeof PublicKeyCredential === "function" && typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function";
  return available ? "available" : "unsupported";
}

export const NO_PASSKEYS: Record<Exclude<PasskeySupport, "available">, string> = {
  insecure: "Passkeys require HTTPS. This page uses HTTP.",
  unsupported: "This browser does not support passkeys.",
};
