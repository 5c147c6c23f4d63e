import { createHash } from "node:crypto";
import { text as textOf } from "node:stream/consumers";
import * as z from "zod";
import { MissingError, type Target } from "./target.ts";

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const tableSchema = z.object({ rows: z.number(), sha256: hex });

const backupSchema = z.object({
  format: z.literal(1),
  takenAt: z.iso.datetime(),
  version: z.string(),
  /** Identifies the deployment, so that two deployments never share a target. */
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

const proofSchema = z.object({ testedAt: z.iso.datetime(), problems: z.array(z.string()), pages: z.number() });
export type Proof = z.infer<typeof proofSchema>;

/** Size of all blocks of a database except the last one. */
export const BLOCK_BYTES = 1024 * 1024;

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
const fileOf = (name: string) => `backups/${name}.json`;
const proofOf = (name: string) => `proofs/${name}.json`;

export const backupName = (at: Date): string => at.toISOString().replace(/[:.]/g, "-");
export const timeOfBackup = (name: string): Date => new Date(name.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/, "T$1:$2:$3.$4Z"));
export const objectName = (sha256: string): string => `objects/${sha256.slice(0, 2)}/${sha256}`;

export async function listBackups(target: Target): Promise<string[]> {
  const names = [...(await target.list("backups")).keys()].map((path) => path.slice("backups/".length, -".json".length));
  return names.filter((name) => NAME.test(name)).toSorted();
}

/** Throws an error that names the file. */
export const readBackup = (target: Target, name: string): Promise<Backup> => readSealed(target, fileOf(name), backupSchema);

export const writeBackup = (target: Target, name: string, backup: Backup): Promise<void> => writeSealed(target, fileOf(name), backup);

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

export function objectsOf(backup: Backup): Map<string, { sha256: string; size: number }> {
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

const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex");
