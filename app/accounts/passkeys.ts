/**
 * Passkeys in the browser (WebAuthn), over Better Auth's endpoints. The platform's own JSON forms of options and answers are used, so that no
 * library is loaded for them.
 */

const PASSKEY = "/api/auth/passkey";

/** Why it did not work, and what can be done: `stale`, ask for the password; `cancelled`, nothing: its person stopped it. */
export class PasskeyProblem extends Error {
  override name = "PasskeyProblem";
  readonly kind: "stale" | "cancelled" | "failed";
  constructor(kind: PasskeyProblem["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Makes a passkey for whoever is signed in. Throws `PasskeyProblem`. */
export async function makePasskey(name: string): Promise<void> {
  // The browser itself judges what the server says here, and refuses what is no such options.
  const options: unknown = await ask(`${PASSKEY}/generate-register-options`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await byPerson(() => navigator.credentials.create({ publicKey }));
  await ask(`${PASSKEY}/verify-registration`, { response: credential, ...(name && { name }) });
}

/** Signs in with a passkey that its person chooses. Throws `PasskeyProblem`. */
export async function signInWithPasskey(): Promise<void> {
  const options: unknown = await ask(`${PASSKEY}/generate-authenticate-options`);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  // The server takes no passkey that does not know its person, and asks for it only where it can be had.
  publicKey.userVerification = "required";
  const credential = await byPerson(() => navigator.credentials.get({ publicKey }));
  await ask(`${PASSKEY}/verify-authentication`, { response: credential });
}

/** Makes the session a fresh one. Throws `PasskeyProblem`. */
export const stepUp = (password: string): Promise<unknown> => ask("/api/auth/step-up", { password });

async function byPerson(act: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await act();
    if (credential instanceof PublicKeyCredential) return credential.toJSON();
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError")
      throw new PasskeyProblem("failed", "This device has a passkey for your account already.");
    if (!(error instanceof DOMException)) throw error;
  }
  throw new PasskeyProblem("cancelled", "Nothing was changed: the browser's question was not answered.");
}

async function ask(address: string, body?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const init = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(address, init).catch(() => null);
  const told: unknown = await response?.json().catch(() => null);
  const answer = typeof told === "object" && told !== null ? Object.fromEntries(Object.entries(told)) : {};
  if (response?.ok) return answer;
  if (answer["code"] === "SESSION_NOT_FRESH")
    throw new PasskeyProblem("stale", "It has been a while since you signed in. Enter your password to go on.");
  if (!response || response.status >= 500)
    throw new PasskeyProblem("failed", "The server does not answer. Nothing was changed: try again in a moment.");
  throw new PasskeyProblem("failed", typeof answer["message"] === "string" ? answer["message"] : "This did not work. Try again.");
}
