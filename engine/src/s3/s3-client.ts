import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { errorOfAnswer, errorOfConnection, S3Error } from "./s3-error.ts";
import type { S3Settings } from "./s3-settings.ts";
import { elementsOf, textOf } from "./s3-xml.ts";

const DEFAULT_ATTEMPTS = 6;
const LONGEST_PAUSE_MS = 10_000;
/** A slower upload is aborted, because a request has no other sign of a dead connection. */
const SLOWEST_BYTES_PER_MS = 16;
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES = new Set(["RequestTimeout", "SlowDown", "InternalError"]);

type S3ClientOptions = S3Settings & {
  bucket: string;
  /** How long a request may wait for an answer, or a download for its next bytes. */
  silenceMs?: number;
  firstPauseMs?: number;
  attempts?: number;
  closing?: AbortSignal;
};

type Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
};

type ListedObject = { key: string; size: number };
type ListedUpload = { key: string; id: string; initiated: Date };
export type Part = { number: number; etag: string; size: number };
type ObjectHead = { etag: string; size: number; ageMs: number; owner: string | null };

export type S3Client = ReturnType<typeof s3Client>;

/** Sends requests to one bucket, with signed SHA-256 checksums. Repeats lost requests and those with status 503. Throws `S3Error`. */
export function s3Client({
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  pathStyle,
  bucket,
  silenceMs = 60_000,
  firstPauseMs = 250,
  attempts = DEFAULT_ATTEMPTS,
  closing,
}: S3ClientOptions) {
  const base = new URL(endpoint);
  if (pathStyle) base.pathname = `/${bucket}/`;
  else base.hostname = `${bucket}.${base.hostname}`;
  const signingKeys = new Map<string, ArrayBuffer>();

  async function attempt({ method, key = "", query = {}, headers = {}, body, signal }: Request): Promise<Response> {
    const url = new URL(key, base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const content = body ?? new Uint8Array();
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: {
        ...headers,
        "X-Amz-Content-Sha256": createHash("sha256").update(content).digest("hex"),
        // Buckets with object lock require it.
        ...(body && { "Content-MD5": createHash("md5").update(body).digest("base64") }),
      },
      accessKeyId,
      secretAccessKey,
      service: "s3",
      region,
      cache: signingKeys,
    });
    const signed = await signer.sign();
    const longest = AbortSignal.timeout(silenceMs + Math.ceil(content.length / SLOWEST_BYTES_PER_MS));
    let response: Response;
    try {
      response = await fetch(signed.url, {
        method,
        headers: signed.headers,
        // A redirect would lead to another service.
        redirect: "manual",
        signal: closing ? AbortSignal.any([signal ?? longest, closing]) : (signal ?? longest),
        ...(body && { body }),
      });
      if (response.ok || response.status === 304) return response;
      throw errorOfAnswer(response.status, await response.text());
    } catch (error) {
      throw error instanceof S3Error ? error : errorOfConnection(error);
    }
  }

  async function repeated<T>(work: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count += 1) {
      try {
        return await work();
      } catch (error) {
        if (count === attempts || closing?.aborted || !isTransient(error)) throw error;
        await sleep(Math.min(firstPauseMs * 2 ** (count - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2));
      }
    }
  }

  const request = (options: Request): Promise<Response> => repeated(() => attempt(options));
  const requestText = (options: Request): Promise<string> =>
    repeated(async () => {
      const response = await attempt(options);
      const text = await response.text().catch((error: unknown) => {
        throw errorOfConnection(error);
      });
      // CompleteMultipartUpload and CopyObject answer 200 before they know whether they succeed.
      if (/<Error>/.test(text)) throw errorOfAnswer(500, text);
      return text;
    });

  async function* pages(query: Record<string, string>, next: (xml: string) => Record<string, string> | null): AsyncGenerator<string> {
    for (let more: Record<string, string> | null = {}; more !== null;) {
      const xml: string = await requestText({ method: "GET", query: { ...query, ...more } });
      yield xml;
      more = next(xml);
    }
  }

  async function head(key: string): Promise<ObjectHead | null> {
    try {
      const { headers } = await request({ method: "HEAD", key });
      const times = [headers.get("Date"), headers.get("Last-Modified")].map((text) => Date.parse(text ?? ""));
      return {
        etag: headers.get("ETag") ?? "",
        size: Number(headers.get("Content-Length")),
        // Both times come from the service, so the clock of this machine does not matter.
        ageMs: (times[0] ?? 0) - (times[1] ?? 0),
        owner: headers.get("X-Amz-Meta-Owner"),
      };
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return null;
      throw error;
    }
  }

  return {
    head,

    async *list(prefix: string): AsyncGenerator<ListedObject> {
      const query = { "list-type": "2", prefix, "encoding-type": "url" };
      const following = (xml: string) => {
        const token = textOf(xml, "NextContinuationToken");
        return token ? { "continuation-token": token } : null;
      };
      for await (const xml of pages(query, following))
        for (const each of elementsOf(xml, "Contents"))
          yield { key: decodeURIComponent(textOf(each, "Key").replaceAll("+", " ")), size: Number(textOf(each, "Size")) };
    },

    async *read(key: string): AsyncGenerator<Buffer<ArrayBuffer>, void, undefined> {
      let position = 0;
      let failures = 0;
      let etag: string | null = null;
      for (;;) {
        const stopped = new AbortController();
        const waiting = () => setTimeout(() => stopped.abort(new DOMException("No bytes arrived.", "TimeoutError")), silenceMs);
        let timer = waiting();
        try {
          const headers: Record<string, string> = position > 0 && etag ? { Range: `bytes=${position}-`, "If-Match": etag } : {};
          const response = await attempt({ method: "GET", key, headers, signal: stopped.signal });
          etag = response.headers.get("ETag");
          let skipped = response.status === 206 ? position : 0;
          for await (const chunk of response.body ?? []) {
            clearTimeout(timer);
            failures = 0;
            const fresh = Buffer.from(chunk).subarray(Math.max(0, position - skipped));
            skipped += chunk.length;
            position = Math.max(position, skipped);
            if (fresh.length > 0) yield fresh;
            timer = waiting();
          }
          return;
        } catch (error) {
          const failure = error instanceof S3Error ? error : errorOfConnection(error);
          failures += 1;
          if (failures === attempts || closing?.aborted || !isTransient(failure)) throw failure;
          await sleep(Math.min(firstPauseMs * 2 ** (failures - 1), LONGEST_PAUSE_MS));
        } finally {
          clearTimeout(timer);
          stopped.abort();
        }
      }
    },

    /** `condition`: headers like `If-None-Match`. Returns the ETag. */
    async put(
      key: string,
      body: Uint8Array<ArrayBuffer>,
      { owner, condition }: { owner?: string; condition?: Record<string, string> } = {},
    ): Promise<string> {
      const headers = { ...(owner && { "X-Amz-Meta-Owner": owner }), ...condition };
      const response = await request({ method: "PUT", key, headers, body });
      await response.body?.cancel();
      return response.headers.get("ETag") ?? "";
    },

    async remove(key: string): Promise<void> {
      await (await request({ method: "DELETE", key })).body?.cancel();
    },

    async copy(from: string, to: string): Promise<void> {
      await requestText({ method: "PUT", key: to, headers: { "X-Amz-Copy-Source": `/${bucket}/${from}` } });
    },

    async createUpload(key: string): Promise<string> {
      return textOf(await requestText({ method: "POST", key, query: { uploads: "" } }), "UploadId");
    },

    async uploadPart(key: string, id: string, number: number, body: Uint8Array<ArrayBuffer>): Promise<Part> {
      const response = await request({ method: "PUT", key, query: { uploadId: id, partNumber: String(number) }, body });
      await response.body?.cancel();
      return { number, etag: response.headers.get("ETag") ?? "", size: body.length };
    },

    async listParts(key: string, id: string): Promise<Part[]> {
      const parts: Part[] = [];
      const following = (xml: string) =>
        textOf(xml, "IsTruncated") === "true" ? { "part-number-marker": textOf(xml, "NextPartNumberMarker") } : null;
      for (let more: Record<string, string> | null = {}; more !== null;) {
        const xml: string = await requestText({ method: "GET", key, query: { uploadId: id, ...more } });
        for (const each of elementsOf(xml, "Part"))
          parts.push({ number: Number(textOf(each, "PartNumber")), etag: textOf(each, "ETag"), size: Number(textOf(each, "Size")) });
        more = following(xml);
      }
      return parts;
    },

    /** `size`: of the whole object, which shows that the upload was complete when the response was lost. */
    async completeUpload(key: string, id: string, parts: readonly Part[], size: number): Promise<void> {
      const listed = parts.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`).join("");
      const body = Buffer.from(`<CompleteMultipartUpload>${listed}</CompleteMultipartUpload>`);
      try {
        await requestText({ method: "POST", key, query: { uploadId: id }, body });
      } catch (error) {
        if (!(error instanceof S3Error && error.code === "NoSuchUpload") || (await head(key))?.size !== size) throw error;
      }
    },

    async abortUpload(key: string, id: string): Promise<void> {
      try {
        await (await request({ method: "DELETE", key, query: { uploadId: id } })).body?.cancel();
      } catch (error) {
        if (!(error instanceof S3Error && error.code === "NoSuchUpload")) throw error;
      }
    },

    async listUploads(prefix: string): Promise<ListedUpload[]> {
      const uploads: ListedUpload[] = [];
      const following = (xml: string) =>
        textOf(xml, "IsTruncated") === "true"
          ? { "key-marker": textOf(xml, "NextKeyMarker"), "upload-id-marker": textOf(xml, "NextUploadIdMarker") }
          : null;
      for await (const xml of pages({ uploads: "", prefix }, following))
        for (const each of elementsOf(xml, "Upload"))
          uploads.push({ key: textOf(each, "Key"), id: textOf(each, "UploadId"), initiated: new Date(textOf(each, "Initiated")) });
      return uploads;
    },
  };
}

const isTransient = (error: unknown): boolean =>
  error instanceof S3Error && (error.status === null || TRANSIENT.has(error.status) || TRANSIENT_CODES.has(error.code));
