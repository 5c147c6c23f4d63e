import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import * as z from "zod";
import type { AppConfig } from "../app/config.ts";

/** What must stay the same from one start to the next, or everyone is signed out. */
export type AppSecrets = Pick<AppConfig, "secret" | "signingKey">;
/** With the key by which this machine's embedded deployment is administered; null: there is none. */
export type Secrets = AppSecrets & { engineAdminKey: string | null };

const message = { error: "a private ES256 key as JSON (JWK: kty EC, crv P-256, x, y, d, kid)" };

/** An ES256 private key as JWK. `kid` lets a later key stand beside it. */
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

const kept = z.object({ secret: z.string().min(32), signingKey: signingKeySchema, engineAdminKey: z.string().min(32) });
type Kept = z.infer<typeof kept>;

/** Fresh secrets from the system's randomness. */
export async function makeSecrets(): Promise<Omit<Kept, "engineAdminKey">> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const kid = randomBytes(8).toString("hex");
  return { secret: randomBytes(32).toString("base64url"), signingKey: signingKeySchema.parse({ ...(await exportJWK(privateKey)), kid }) };
}

/**
 * The given secrets, and what else is needed from `dataDir/secrets.json`, which is made at the first start, readable by its owner alone.
 * @param dataDir null: a remote deployment is used, nothing is kept here and all must be given
 * @throws Error where the file is there and cannot be understood: a new one would sign everyone out
 */
export async function keepSecrets(dataDir: string | null, given: Partial<AppSecrets>): Promise<Secrets> {
  if (dataDir !== null) {
    const own = await readOrMake(dataDir);
    return { secret: given.secret ?? own.secret, signingKey: given.signingKey ?? own.signingKey, engineAdminKey: own.engineAdminKey };
  }
  const { secret, signingKey } = given;
  if (!secret || !signingKey) throw new Error("BETTER_AUTH_SECRET and TOKEN_SIGNING_KEY must be given");
  return { secret, signingKey, engineAdminKey: null };
}

async function readOrMake(dataDir: string): Promise<Kept> {
  const path = join(dataDir, "secrets.json");
  const found = await read(path);
  if (found) return found;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const fresh: Kept = { ...(await makeSecrets()), engineAdminKey: `atelier|${randomBytes(32).toString("hex")}` };
  await writeOnce(path, `${JSON.stringify(fresh, null, 2)}\n`);
  const made = await read(path);
  if (!made) throw new Error(`${path} was removed while it was being made`);
  return made;
}

async function read(path: string): Promise<Kept | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    return kept.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} cannot be understood. Put it back from a backup; without it everyone has to sign in again (then remove it).`);
  }
}

/** All or nothing, and never over what another start has just made: the name appears when the bytes are on the disk. */
async function writeOnce(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}
