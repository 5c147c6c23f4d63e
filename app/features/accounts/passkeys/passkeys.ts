/** Passkeys (WebAuthn) through Better Auth's endpoints, with the browser's own JSON conversion instead of a library. */

/* oxlint-disable no-restricted-globals, no-restricted-properties -- loaded for use only where `passkeySupport` says "available" */

const PASSKEY = "/api/auth/passkey";

export class PasskeyError extends Error {
  override name = "PasskeyError";
  readonly kind: "stale" | "cancelled" | "failed";
  constructor(kind: PasskeyError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

export async function createPasskey(name: string): Promise<void> {
  const options: unknown = await requestJson(`${PASSKEY}/generate-register-options`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await byPerson(() => navigator.credentials.create({ publicKey }));
  await requestJson(`${PASSKEY}/verify-registration`, { response: credential, ...(name && { name }) });
}

export async function signInWithPasskey(): Promise<void> {
  const options: unknown = await requestJson(`${PASSKEY}/generate-authenticate-options`);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  // The server rejects passkeys without user verification, but requests it only as "preferred".
  publicKey.userVerification = "required";
  const credential = await byPerson(() => navigator.credentials.get({ publicKey }));
  await requestJson(`${PASSKEY}/verify-authentication`, { response: credential });
}

export const stepUp = (password: string): Promise<unknown> => requestJson("/api/auth/step-up", { password });

async function byPerson(act: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await act();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError")
      throw new PasskeyError("failed", "This device already has a passkey for your account.");
    if (!(error instanceof DOMException)) throw error;
  }
  throw new PasskeyError("cancelled", "Cancelled. Nothing was changed.");
}

async function requestJson(address: string, body?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const init = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(address, init).catch(() => null);
  const errorBody: unknown = await response?.json().catch(() => null);
  const answer = typeof errorBody === "object" && errorBody !== null ? Object.fromEntries(Object.entries(errorBody)) : {};
  if (response?.ok) return answer;
  if (answer["code"] === "SESSION_NOT_FRESH")
    throw new PasskeyError("stale", "You signed in some time ago. Enter your password to continue.");
  if (!response || response.status >= 500)
    throw new PasskeyError("failed", "The server is not responding. Nothing was changed. Try again in a moment.");
  throw new PasskeyError("failed", typeof answer["message"] === "string" ? answer["message"] : "Something went wrong. Try again.");
}
