import * as z from "zod";
import type { AppConfig } from "../../app/config.ts";
import { queryEnvironment, type Target } from "./push.ts";

type SigningKey = AppConfig["signingKey"];

const publicKeySchema = z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string(), kid: z.string() });
type PublicKey = z.infer<typeof publicKeySchema>;

const keySetSchema = z.object({ keys: z.array(publicKeySchema) });

export type TrustedKeys = { keys: PublicKey[]; rotatedAt: Date | null };

type KeyFlags = { rotate: boolean; removeOld: boolean };

export type KeyAction = "publish" | "keep" | "rotate" | "removeOld";

export class KeyError extends Error {}

/** Throws `KeyError` if AUTH_JWKS is not a key set of this app. */
export async function readTrustedKeys(target: Target): Promise<TrustedKeys> {
  const environment = await queryEnvironment(target);
  const rotatedAt = environment["AUTH_JWKS_ROTATED_AT"];
  return { keys: await parseKeySet(environment["AUTH_JWKS"] ?? ""), rotatedAt: rotatedAt ? new Date(rotatedAt) : null };
}

async function parseKeySet(uri: string): Promise<PublicKey[]> {
  if (uri === "") return [];
  if (uri.startsWith("data:")) {
    const keySet = await fetch(uri)
      .then((response) => response.json())
      .then((json) => keySetSchema.safeParse(json))
      .catch(() => null);
    if (keySet?.success) return keySet.data.keys;
  }
  throw new KeyError("AUTH_JWKS of the deployment is not a data: URI with ES256 keys. Correct or remove it there. Nothing was changed.");
}

/** Returns the changes of the keys. Without flags, published keys stay. Throws `KeyError` if running servers would lose access. */
export function planKeys(
  { keys, rotatedAt }: TrustedKeys,
  signingKey: SigningKey | null,
  flags: KeyFlags,
  { tokenLifetime, now = Date.now() }: { tokenLifetime: number; now?: number },
): KeyAction {
  if (flags.rotate && flags.removeOld) throw new KeyError("Use either --rotate-keys or --remove-old-keys.");
  if (keys.length === 0) return "publish";
  if (flags.rotate) return "rotate";
  if (!signingKey) throw refusal("missing", keys);
  if (!keys.some((key) => isPublicHalf(key, signingKey))) throw refusal("different", keys);
  if (!flags.removeOld) return "keep";
  const current = keys[0];
  if (!current || !isPublicHalf(current, signingKey))
    throw new KeyError("TOKEN_SIGNING_KEY is an old key. Set the newest one, and restart every app server with it. Nothing was changed.");
  const acceptedUntil = (rotatedAt?.getTime() ?? 0) + tokenLifetime * 1000;
  if (now < acceptedUntil) {
    const time = new Date(acceptedUntil).toISOString();
    throw new KeyError(`Tokens signed with the old key can be valid until ${time}. Try again then. Nothing was changed.`);
  }
  return "removeOld";
}

const isPublicHalf = (key: PublicKey, { x, y, kid }: SigningKey) => key.x === x && key.y === y && key.kid === kid;

function refusal(problem: "missing" | "different", keys: PublicKey[]): KeyError {
  const ids = keys.map(({ kid }) => kid).join(", ");
  const problemText = problem === "missing" ? "TOKEN_SIGNING_KEY is missing" : "TOKEN_SIGNING_KEY is a different key";
  return new KeyError(
    `${problemText}: the deployment trusts ${ids}. Set the TOKEN_SIGNING_KEY of the running app servers. ` +
      "If that key is lost, run 'npm run setup:convex -- --rotate-keys'. Nothing was changed.",
  );
}
