import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import * as z from "zod";
import type { AppConfig } from "../../app/config.ts";
import { sync } from "@atelier/engine/copy";
import { FILE_NAME } from "@atelier/engine/database-file";
import { completeRestore } from "./complete-restore.ts";
import { leaveRecord } from "./operation-records.ts";

export type AppSecrets = Pick<AppConfig, "secret" | "signingKey">;
export type Secrets = AppSecrets & { engineAdminKey: string | null };

export class SecretsError extends Error {}

const RECOVERY_STEPS =
  "Restore it from a backup. To continue with new keys, delete the file and start once with MAKE_NEW_KEYS=true. All users must then sign in again and set up two-factor authentication again.";

const message = { error: "a private ES256 key as JSON (JWK: kty EC, crv P-256, x, y, d, kid)" };

export const signingKeySchema = z.object(
  {
    kty: z.literal("EC", message),
    crv: z.literal("P-256", message),
    x: z.string(message),
    y: z.string(message),
    d: z.string(message),
    kid: z.string(message),
  },
  message,
);

const secretsSchema = z.object({ secret: z.string().min(32), signingKey: signingKeySchema, engineAdminKey: z.string().min(32) });
type StoredSecrets = z.infer<typeof secretsSchema>;

export async function makeSecrets(): Promise<Omit<StoredSecrets, "engineAdminKey">> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const kid = randomBytes(8).toString("hex");
  return { secret: randomBytes(32).toString("base64url"), signingKey: signingKeySchema.parse({ ...(await exportJWK(privateKey)), kid }) };
}

/** Returns the given secrets and those of `dataDir/secrets.json`. Throws `SecretsError` rather than replace lost keys. */
export async function loadSecrets(dataDir: string | null, configured: Partial<AppSecrets>, makeNewKeys = false): Promise<Secrets> {
  if (dataDir !== null) {
    const mayMake = makeNewKeys || (configured.secret !== undefined && configured.signingKey !== undefined);
    const own = await readOrMake(dataDir, mayMake);
    return {
      secret: configured.secret ?? own.secret,
      signingKey: configured.signingKey ?? own.signingKey,
      engineAdminKey: own.engineAdminKey,
    };
  }
  const { secret, signingKey } = configured;
  if (!secret || !signingKey) throw new Error("BETTER_AUTH_SECRET and TOKEN_SIGNING_KEY must be set");
  return { secret, signingKey, engineAdminKey: null };
}

/** Stores the keys of data that is moved into an empty `dataDir`. The admin key stays. */
export async function storeSecrets(dataDir: string, { secret, signingKey }: AppSecrets): Promise<void> {
  const { engineAdminKey } = await readOrMake(dataDir, true);
  const path = join(dataDir, "secrets.json");
  const temporary = await writeTemporary(path, `${JSON.stringify({ secret, signingKey, engineAdminKey }, null, 2)}\n`);
  await rename(temporary, path);
  await sync(dataDir);
}

async function readOrMake(dataDir: string, mayMake: boolean): Promise<StoredSecrets> {
  if (await completeRestore(dataDir)) await leaveRecord(dataDir, { action: "backup.restored" });
  const path = join(dataDir, "secrets.json");
  // Checked before the keys: a concurrent first start creates the keys first.
  const hasData = existsSync(join(dataDir, "convex", FILE_NAME));
  const found = await read(path);
  if (found) return found;
  if (!mayMake && hasData) throw new SecretsError(`${path} is missing, but there is data in ${dataDir}. ${RECOVERY_STEPS}`);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fresh: StoredSecrets = { ...(await makeSecrets()), engineAdminKey: `atelier|${randomBytes(32).toString("hex")}` };
  await writeOnce(path, `${JSON.stringify(fresh, null, 2)}\n`);
  const stored = await read(path);
  if (!stored) throw new Error(`${path} was deleted during its creation`);
  return stored;
}

async function read(path: string): Promise<StoredSecrets | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    return secretsSchema.parse(JSON.parse(text));
  } catch {
    throw new SecretsError(`${path} cannot be parsed. ${RECOVERY_STEPS}`);
  }
}

/** Writes a file under its name only when the bytes are on disk. Never overwrites a concurrent start's file. */
async function writeOnce(path: string, text: string): Promise<void> {
  const temporary = await writeTemporary(path, text);
  try {
    await link(temporary, path);
    await sync(dirname(path));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return temporary;
}
