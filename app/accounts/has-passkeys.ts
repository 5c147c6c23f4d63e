/** Whether this browser can make and use passkeys (`passkeys.ts`). */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && typeof PublicKeyCredential.parseCreationOptionsFromJSON === "function";
