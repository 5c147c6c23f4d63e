import { createHash, createHmac, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { ContentId, ObjectReader, ObjectWriter } from "./backup-objects.ts";
import { MissingError, type Target } from "../targets/target.ts";
import { DamageError, verifyContent, WrongKeyError } from "./verified.ts";

/** Loaded when it is needed, because the server reads the state of backups at each start. */
const loadAge = () => import("./age.ts");

/** Backups are encrypted to the recipients or with the passphrase, if any. `identities`: private keys that read them. */
export type BackupKeys = {
  recipients: readonly string[];
  passphrase: string | null;
  identities: readonly string[];
};

export const isEncrypting = (keys: BackupKeys): boolean => keys.recipients.length > 0 || keys.passphrase !== null;

/** An encrypted object: a keyed hash of its content, and the sha256 of its stored bytes. */
const OBJECT = /^objects\/[0-9a-f]{2}\/([0-9a-f]{64})\.([0-9a-f]{64})$/;
/** The identity of a passphrase, with the sha256 of its stored bytes. */
const KEY = /^keys\/([0-9a-f]{64})\.age$/;
/** Larger objects are encrypted to a file first, because their name is known at the end. */
const IN_MEMORY_BYTES = 8 * 1024 * 1024;

export const storedSha256 = (name: string): string => OBJECT.exec(name)?.[2] ?? KEY.exec(name)?.[1] ?? "";

export type Decryption = {
  identities: readonly string[];
  decrypts(name: string): boolean;
};

export type Encryption = {
  writer: ObjectWriter;
  nameOf: (id: ContentId) => string | null;
  storedSize: (name: string) => number;
  /** The name of the identity that the passphrase opens; null with recipients. */
  keyName: string | null;
  decryption: Decryption;
};

export type EncryptionOptions = {
  target: Target;
  keys: BackupKeys;
  /** A secret of the deployment. Names of objects depend on it, so that they do not reveal contents. */
  secret: string;
};

/** Prepares encrypted objects. Each is also encrypted to an identity of this process, so that it can be tested without the recipients'. */
export async function openEncryption({ target, keys, secret }: EncryptionOptions): Promise<Encryption> {
  const { encrypt, newIdentity, recipientOf } = await loadAge();
  const ofPassphrase = keys.passphrase === null ? null : await passphraseIdentity(target, keys.passphrase);
  const lasting = ofPassphrase ? [await recipientOf(ofPassphrase.identity)] : keys.recipients;
  const ownIdentity = await newIdentity(lasting);
  const recipients = [...lasting, await recipientOf(ownIdentity)];
  const nameKey = createHmac("sha256", secret)
    .update(`names of backup objects\n${lasting.toSorted().join("\n")}`)
    .digest();
  const hashOf = ({ sha256 }: ContentId) => createHmac("sha256", nameKey).update(sha256).digest("hex");
  const sizes = new Map([...(await target.list("objects")), ...(await target.list("keys"))]);
  const names = new Map([...sizes.keys()].flatMap((name) => (OBJECT.test(name) ? [[OBJECT.exec(name)?.[1] ?? "", name]] : [])));
  const written = new Set<string>();

  async function write(id: ContentId, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const hash = hashOf(id);
    const encrypted = encrypt(content, recipients);
    const store = async (sha256: string, size: number, stored: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) => {
      const name = `objects/${hash.slice(0, 2)}/${hash}.${sha256}`;
      await target.write(name, stored);
      names.set(hash, name);
      sizes.set(name, size);
      written.add(name);
    };
    if (id.size <= IN_MEMORY_BYTES) {
      const stored = await buffer(encrypted);
      return store(createHash("sha256").update(stored).digest("hex"), stored.length, [stored]);
    }
    const path = join(target.scratch, `${randomUUID()}.encrypted`);
    try {
      const { sha256, size } = await spool(encrypted, path);
      await store(sha256, size, createReadStream(path));
    } finally {
      await rm(path, { force: true });
    }
  }

  const identities = [...keys.identities, ...(ofPassphrase ? [ofPassphrase.identity] : [])];
  return {
    writer: { has: (id) => names.has(hashOf(id)), write },
    nameOf: (id) => names.get(hashOf(id)) ?? null,
    storedSize: (name) => sizes.get(name) ?? 0,
    keyName: ofPassphrase?.name ?? null,
    decryption: { identities: [...identities, ownIdentity], decrypts: (name) => identities.length > 0 || written.has(name) },
  };
}

/** Returns the keys to read backups. Throws `WrongKeyError` when the passphrase is wrong. */
export async function openDecryption(target: Target, keys: BackupKeys): Promise<Decryption> {
  const ofPassphrase = keys.passphrase === null ? null : await storedIdentity(target, keys.passphrase);
  return { identities: [...keys.identities, ...(ofPassphrase ? [ofPassphrase.identity] : [])], decrypts: () => true };
}

/** `names`: by the sha256 of the content. */
export function encryptedReader(target: Target, names: ReadonlyMap<string, string>, decryption: Decryption): ObjectReader {
  const nameOf = ({ sha256 }: ContentId) => names.get(sha256) ?? null;
  return {
    nameOf,
    linkSource: () => null,
    async *read(id, use, local) {
      const name = nameOf(id);
      if (name === null) throw new MissingError(`The backup has no object for ${use}`);
      yield* readEncrypted(target, { name, id, use, decryption, ...(local && { local }) });
    },
  };
}

type EncryptedObject = {
  name: string;
  id: ContentId | null;
  use: string;
  decryption: Decryption;
  local?: () => Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
};

/** Yields the content of one object. Compares the stored bytes, and the content if `id` is known. */
export async function* readEncrypted(
  target: Target,
  { name, id, use, decryption, local }: EncryptedObject,
): AsyncGenerator<Uint8Array, void, undefined> {
  const what = `${target.describe(name)} (${use})`;
  const stored = withSha256(target.read(name), storedSha256(name), what);
  if (local && id && !decryption.decrypts(name)) {
    for await (const _ of stored);
    try {
      yield* verifyContent(local(), id, `The data of ${use}`);
    } catch (error) {
      throw error instanceof DamageError ? new DamageError(error.message, { isLocal: true, cause: error }) : error;
    }
    return;
  }
  if (decryption.identities.length === 0)
    throw new WrongKeyError(`${what} is encrypted. Set BACKUP_IDENTITY, BACKUP_IDENTITY_FILE or BACKUP_PASSPHRASE.`);
  const { decrypt } = await loadAge();
  const content = decrypt(stored, decryption.identities, what);
  yield* id ? verifyContent(content, id, what) : content;
}

async function* withSha256(content: AsyncIterable<Uint8Array>, sha256: string, what: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* verifyContent(content, { sha256, size: null }, what);
}

async function spool(content: AsyncIterable<Uint8Array>, path: string): Promise<ContentId> {
  const hash = createHash("sha256");
  let size = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), size };
}

type StoredIdentity = { name: string; identity: string };

async function storedIdentity(target: Target, passphrase: string): Promise<StoredIdentity | null> {
  const { decryptWithPassphrase } = await loadAge();
  let failure: WrongKeyError | null = null;
  for (const name of (await target.list("keys")).keys()) {
    if (!KEY.test(name)) continue;
    const what = target.describe(name);
    const content = await buffer(withSha256(target.read(name), storedSha256(name), what));
    try {
      return { name, identity: (await decryptWithPassphrase(content, passphrase, what)).trim() };
    } catch (error) {
      if (!(error instanceof WrongKeyError)) throw error;
      failure = error;
    }
  }
  if (failure !== null)
    throw new WrongKeyError(`BACKUP_PASSPHRASE is wrong: it does not open the keys in ${target.describe("keys")}.`, { cause: failure });
  return null;
}

/** Objects are encrypted to an identity, which is encrypted with the passphrase, because a passphrase takes seconds. */
async function passphraseIdentity(target: Target, passphrase: string): Promise<StoredIdentity> {
  const stored = await storedIdentity(target, passphrase);
  if (stored) return stored;
  const { encryptToPassphrase, newIdentity } = await loadAge();
  const identity = await newIdentity([]);
  const content = await encryptToPassphrase(`${identity}\n`, passphrase);
  const name = `keys/${createHash("sha256").update(content).digest("hex")}.age`;
  await target.write(name, [content]);
  return { name, identity };
}
