import { createHmac } from "node:crypto";

const BYTES = 16;

/** The entry for the key of the hashes. Without the setting the key is stored in DATA_DIR. */
const SECRET = "BETTER_AUTH_SECRET";

/** Returns a keyed hash of each setting's value by name, for comparison at the next start, and always one of the secret, the key. */
export function settingsFingerprints(
  env: Readonly<Record<string, string | undefined>>,
  isSetting: (name: string) => boolean,
  secret: string,
): Record<string, string> {
  const hash = (name: string, value: string) =>
    createHmac("sha256", secret).update(`audit log\n${name}\n${value}`).digest().subarray(0, BYTES).toString("base64url");
  const found = Object.entries(env).flatMap(([name, value]) => (value !== undefined && isSetting(name) ? [[name, hash(name, value)]] : []));
  return { ...Object.fromEntries(found), [SECRET]: hash(SECRET, secret) };
}
