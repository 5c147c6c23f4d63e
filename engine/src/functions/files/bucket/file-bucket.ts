import { s3Client, type S3Client } from "../../../s3/s3-client.ts";
import { S3Error } from "../../../s3/s3-error.ts";
import { parseBucket } from "../../../s3/s3-settings.ts";
import { abortAbandoned, putObject } from "../../../s3/put-object.ts";
import type { FileBucketSettings } from "./bucket-settings.ts";

const FILES = "files";
const QUARANTINE = "quarantine";
const OWNER = "deployment.json";
const OWNER_MAX_BYTES = 4096;

type Access = Pick<FileBucketSettings, "location" | "s3" | "timing">;
export type BucketOwner = { deployment: string; instance: string };

/** The objects of stored files under a prefix of a bucket. Methods throw `S3Error`. */
export class FileBucket {
  readonly location: string;
  readonly #client: S3Client;
  readonly #prefix: string;

  constructor({ location, s3, timing }: Access, closing?: AbortSignal) {
    const parsed = parseBucket(location);
    if (!parsed) throw new Error(`${location} is no bucket; expected s3://bucket/prefix.`);
    this.location = location;
    this.#client = s3Client({ ...s3, ...timing, bucket: parsed.bucket, ...(closing && { closing }) });
    this.#prefix = parsed.prefix;
  }

  /** Stops after the chunk that exceeds `maxBytes`, so that wrong bytes cannot fill the disk. */
  async *read(name: string, maxBytes = Infinity): AsyncGenerator<Buffer<ArrayBuffer>, void, undefined> {
    let size = 0;
    for await (const chunk of this.#client.read(this.#key(FILES, name))) {
      yield chunk;
      size += chunk.length;
      if (size > maxBytes) return;
    }
  }

  write(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    return putObject(this.#client, this.#key(FILES, name), content);
  }

  async sizeOf(name: string): Promise<number | null> {
    return (await this.#client.head(this.#key(FILES, name)))?.size ?? null;
  }

  remove(name: string): Promise<void> {
    return this.#client.remove(this.#key(FILES, name));
  }

  list(): AsyncGenerator<string> {
    return this.#names(this.#key(FILES, ""));
  }

  abortAbandoned(): Promise<void> {
    return abortAbandoned(this.#client, this.#key(FILES, ""));
  }

  quarantine(name: string, date: string): Promise<void> {
    return this.#move(this.#key(FILES, name), this.#key(QUARANTINE, `${date}/${name}`));
  }

  restore(name: string, date: string): Promise<void> {
    return this.#move(this.#key(QUARANTINE, `${date}/${name}`), this.#key(FILES, name));
  }

  async *listQuarantine(): AsyncGenerator<{ date: string; name: string }> {
    for await (const path of this.#names(this.#key(QUARANTINE, ""))) {
      const [date = "", name = ""] = path.split("/");
      yield { date, name };
    }
  }

  removeFromQuarantine(name: string, date: string): Promise<void> {
    return this.#client.remove(this.#key(QUARANTINE, `${date}/${name}`));
  }

  async owner(): Promise<BucketOwner | null> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of this.#client.read(this.#prefix + OWNER)) {
        size += chunk.length;
        if (size <= OWNER_MAX_BYTES) chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof S3Error && error.code === "NoSuchKey") return null;
      throw error;
    }
    return parseOwner(Buffer.concat(chunks).toString());
  }

  /** Stores the owner. With `isFirst`, only if there is none; returns whether it was stored. */
  async claim(owner: BucketOwner, { isFirst }: { isFirst: boolean }): Promise<boolean> {
    const body = Buffer.from(`${JSON.stringify(owner)}\n`);
    const condition: Record<string, string> = isFirst ? { "If-None-Match": "*" } : {};
    try {
      await this.#client.put(this.#prefix + OWNER, body, { condition });
      return true;
    } catch (error) {
      if (!(error instanceof S3Error) || !isFirst) throw error;
      if (error.status === 412 || error.status === 409) return false;
      if (error.status !== 501) throw error;
      await this.#client.put(this.#prefix + OWNER, body);
      return true;
    }
  }

  #key(folder: string, name: string): string {
    return `${this.#prefix}${folder}/${name}`;
  }

  async *#names(prefix: string): AsyncGenerator<string> {
    for await (const { key } of this.#client.list(prefix)) yield key.slice(prefix.length);
  }

  async #move(from: string, to: string): Promise<void> {
    try {
      await this.#client.copy(from, to);
    } catch (error) {
      if (error instanceof S3Error && error.code === "NoSuchKey") return;
      throw error;
    }
    await this.#client.remove(from);
  }
}

function parseOwner(text: string): BucketOwner {
  let owner: Partial<BucketOwner> | null = null;
  try {
    owner = JSON.parse(text);
  } catch {}
  const { deployment, instance } = owner ?? {};
  return { deployment: typeof deployment === "string" ? deployment : "", instance: typeof instance === "string" ? instance : "" };
}
