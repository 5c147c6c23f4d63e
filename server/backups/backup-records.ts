import { createHash } from "node:crypto";
import { text as textOf } from "node:stream/consumers";
import * as z from "zod";
import { type Decryption, type Encryption, encryptedReader, readEncrypted, storedSha256 } from "./objects/encrypted-objects.ts";
import { type ContentId, objectName, type ObjectReader, plainReader } from "./objects/backup-objects.ts";
import { MissingError, type Target } from "./targets/target.ts";

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const tableSchema = z.object({ rows: z.number(), sha256: hex });

const backupSchema = z.object({
  format: z.literal(1),
  takenAt: z.iso.datetime(),
  version: z.string(),
  deployment: hex,
  /** Timestamp of the newest commit, in nanoseconds. */
  latest: z.string().regex(/^\d+$/),
  secrets: z.object({ sha256: hex, size: z.number() }),
  database: z.object({ size: z.number(), blocks: z.array(hex) }),
  tables: z.record(z.string(), tableSchema),
  /** Name in the folder of files, sha256 and size of each stored file. */
  files: z.array(z.tuple([z.string().regex(/^[\w-]+$/), hex, z.number()])),
});
export type Backup = z.infer<typeof backupSchema>;

const storedName = z.string().refine((name) => storedSha256(name) !== "");

const encryptedSchema = z.object({
  format: z.literal(2),
  takenAt: z.iso.datetime(),
  version: z.string(),
  deployment: hex,
  /** The encrypted backup: format 1 with the stored names of its objects. */
  contents: storedName,
  objects: z.array(z.tuple([storedName, z.number()])),
});
const indexSchema = z.discriminatedUnion("format", [backupSchema, encryptedSchema]);
const contentsSchema = z.object({ backup: backupSchema, names: z.record(hex, storedName) });

const proofSchema = z.object({ testedAt: z.iso.datetime(), problems: z.array(z.string()), pages: z.number() });
export type Proof = z.infer<typeof proofSchema>;

export const BLOCK_BYTES = 1024 * 1024;

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
const fileOf = (name: string) => `backups/${name}.json`;
const proofOf = (name: string) => `proofs/${name}.json`;

export const backupName = (at: Date): string => at.toISOString().replace(/[:.]/g, "-");
export const timeOfBackup = (name: string): Date => new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, "T$1:$2:$3.$4Z"));

export async function listBackups(target: Target): Promise<string[]> {
  const names = [...(await target.list("backups")).keys()].map((path) => path.slice("backups/".length, -".json".length));
  return names.filter((name) => NAME.test(name)).toSorted();
}

export type BackupIndex = {
  deployment: string;
  objects: Map<string, ContentId>;
};

/** Reads the unencrypted fields. Throws an error that names the file. */
export async function readIndex(target: Target, name: string): Promise<BackupIndex> {
  const index = await readSealed(target, fileOf(name), indexSchema);
  const { deployment } = index;
  if (index.format === 1) return { deployment, objects: objectsOf(index) };
  return { deployment, objects: new Map(index.objects.map(([object, size]) => [object, { sha256: storedSha256(object), size }])) };
}

export type OpenBackup = { backup: Backup; reader: ObjectReader };

/** Throws an error that names the file, or `WrongKeyError`. */
export async function openBackup(target: Target, name: string, decryption: Decryption): Promise<OpenBackup> {
  const index = await readSealed(target, fileOf(name), indexSchema);
  if (index.format === 1) return { backup: index, reader: plainReader(target) };
  const text = await textOf(readEncrypted(target, { name: index.contents, id: null, use: `the list of the backup ${name}`, decryption }));
  const { backup, names } = contentsSchema.parse(JSON.parse(text));
  return { backup, reader: encryptedReader(target, new Map(Object.entries(names)), decryption) };
}

export async function writeBackup(target: Target, name: string, backup: Backup, encryption: Encryption | null): Promise<void> {
  if (encryption === null) return writeSealed(target, fileOf(name), backup);
  const { writer, nameOf, storedSize, keyName } = encryption;
  const names: Record<string, string> = {};
  for (const id of objectsOf(backup).values()) {
    const stored = nameOf(id);
    if (stored !== null) names[id.sha256] = stored;
  }
  const content = Buffer.from(JSON.stringify({ backup, names }));
  const id = { sha256: sha256Of(content), size: content.length };
  if (!writer.has(id)) await writer.write(id, [content]);
  const contents = nameOf(id) ?? "";
  const objects = [...Object.values(names), contents, ...(keyName === null ? [] : [keyName])];
  const { takenAt, version, deployment } = backup;
  const index: z.infer<typeof encryptedSchema> = {
    format: 2,
    takenAt,
    version,
    deployment,
    contents,
    objects: objects.map((object) => [object, storedSize(object)]),
  };
  await writeSealed(target, fileOf(name), index);
}

/** Returns null when the backup was not tested. Throws an error that names the file. */
export async function readProof(target: Target, name: string): Promise<Proof | null> {
  try {
    return await readSealed(target, proofOf(name), proofSchema);
  } catch (error) {
    if (error instanceof MissingError) return null;
    throw error;
  }
}

export const writeProof = (target: Target, name: string, proof: Proof): Promise<void> => writeSealed(target, proofOf(name), proof);

export async function removeBackup(target: Target, name: string): Promise<void> {
  await target.remove(proofOf(name));
  await target.remove(fileOf(name));
}

function objectsOf(backup: Backup): Map<string, ContentId> {
  const { blocks, size } = backup.database;
  const objects = [
    backup.secrets,
    ...blocks.map((sha256, index) => ({ sha256, size: Math.min(BLOCK_BYTES, size - index * BLOCK_BYTES) })),
    ...backup.files.map(([, sha256, size]) => ({ sha256, size })),
  ];
  return new Map(objects.map((each) => [objectName(each.sha256), each]));
}

async function writeSealed(target: Target, name: string, value: object): Promise<void> {
  const line = JSON.stringify(value);
  await target.write(name, [Buffer.from(`${line}\n${sha256Of(line)}\n`)]);
}

async function readSealed<T>(target: Target, name: string, schema: z.ZodType<T>): Promise<T> {
  const text = await textOf(target.read(name));
  const line = text.slice(0, text.indexOf("\n"));
  if (text !== `${line}\n${sha256Of(line)}\n`) throw new Error(`${target.describe(name)} does not match its sha256.`);
  const parsed = schema.safeParse(JSON.parse(line));
  if (!parsed.success) throw new Error(`${target.describe(name)} was written by another version of Atelier. Read it with that version.`);
  return parsed.data;
}

const sha256Of = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
