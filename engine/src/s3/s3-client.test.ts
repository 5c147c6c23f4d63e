import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Fault, type S3Server, startS3Server } from "../../../tests/harness/services/s3.ts";
import { s3Client, type S3Client } from "./s3-client.ts";
import { S3Error } from "./s3-error.ts";
import { parseBucket } from "./s3-settings.ts";
import { textOf } from "./s3-xml.ts";

let server: S3Server;
let client: S3Client;
const content = randomBytes(300_000);

beforeAll(async () => {
  server = await startS3Server();
  client = clientWith({});
  await client.put("stored", content);
});
afterAll(() => server.stop());
afterEach(() => server.fail());

/** Waits longer for an answer than a test on a busy machine needs. */
const clientWith = (changed: Partial<Parameters<typeof s3Client>[0]>) =>
  s3Client({ ...server.s3, bucket: server.bucket, silenceMs: 20_000, firstPauseMs: 1, ...changed });

const keysOf = async (prefix: string): Promise<string[]> => (await Array.fromAsync(client.list(prefix))).map(({ key }) => key);
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("requests to a bucket", () => {
  it("store, list, copy and remove objects, and read them as they were", async () => {
    expect((await buffer(client.read("stored"))).equals(content)).toBe(true);
    for (let each = 0; each < 20; each += 1) await client.put(`many/${each}`, Buffer.from(String(each)));
    expect((await keysOf("many/")).length).toBe(20);
    await client.copy("many/3", "copied/3");
    await client.remove("many/3");
    expect([await keysOf("copied/"), (await keysOf("many/")).length]).toEqual([["copied/3"], 19]);
    expect(await client.head("missing")).toBeNull();
    await client.put("empty", Buffer.alloc(0));
    expect(await client.head("empty")).toMatchObject({ size: 0 });
  });

  it("store an object in parts, and list what an interrupted upload stored", async () => {
    const id = await client.createUpload("parts");
    const sizes = Array.from({ length: 9 }, (_, index) => index + 1);
    const parts = [];
    for (const number of sizes) parts.push(await client.uploadPart("parts", id, number, content.subarray(0, number)));
    expect(await client.listUploads("par")).toMatchObject([{ key: "parts", id }]);
    expect(await client.listParts("parts", id)).toEqual(parts);
    await client.completeUpload("parts", id, parts, 45);
    expect((await buffer(client.read("parts"))).length).toBe(45);
    expect(await client.listUploads("par")).toEqual([]);
  });

  it.each<[string, Fault]>([
    ["503", { kind: "status", times: 3 }],
    ["a lost connection", { kind: "drop", times: 3 }],
    ["a lost answer", { kind: "drop-answer", times: 1 }],
  ])("are repeated after %s", async (_name, fault) => {
    await server.fail(fault);
    await client.put("repeated", Buffer.from("x"));
    await server.fail(fault);
    expect(await keysOf("repeated")).toContain("repeated");
    const id = await client.createUpload("repeated-parts");
    const part = await client.uploadPart("repeated-parts", id, 1, Buffer.from("xy"));
    await server.fail({ ...fault, on: "POST" });
    await client.completeUpload("repeated-parts", id, [part], 2);
    expect((await buffer(client.read("repeated-parts"))).toString()).toBe("xy");
  });

  it("continue a download where its connection was lost", async () => {
    await server.fail({ kind: "cut", on: "GET", times: 4 });
    await server.command({ do: "forget" });
    expect((await buffer(client.read("stored"))).equals(content)).toBe(true);
    const { requests } = await server.command({ do: "list" });
    expect(requests.map(({ range }) => range !== null)).toEqual([false, true, true, true, true]);
  });

  it("continue a download that ended too early", async () => {
    await server.fail({ kind: "stall", on: "GET", times: 1 });
    expect((await buffer(clientWith({ silenceMs: 1500 }).read("stored"))).equals(content)).toBe(true);
  });

  it("end when the service does not answer", async () => {
    await server.fail({ kind: "hang" });
    const impatient = clientWith({ silenceMs: 100 });
    const text = "The bucket cannot be used, because it does not answer (TimeoutError).";
    expect(String(await failureOf(impatient.put("x", Buffer.from("x"))))).toContain(text);
    expect(String(await failureOf(buffer(impatient.read("stored"))))).toContain(text);
  });

  it.each<[string, Fault | null, Partial<Parameters<typeof s3Client>[0]>, string]>([
    ["is overloaded", { kind: "status" }, {}, "it is overloaded or has an internal error (SlowDown)"],
    ["is full", { kind: "status", status: 403, code: "QuotaExceeded" }, {}, "it is full (QuotaExceeded)"],
    ["is forbidden", { kind: "status", status: 403, code: "AccessDenied" }, {}, "this key may not use it (AccessDenied)"],
    ["gives an unknown code", { kind: "status", status: 418, code: "Teapot" }, {}, "it answers with status 418 (Teapot)"],
    ["does not exist", null, { bucket: "other-bucket" }, "the bucket does not exist (NoSuchBucket)"],
    ["has another key", null, { accessKeyId: "AKIDOTHER" }, "the access key id is unknown (InvalidAccessKeyId)"],
    ["has another secret", null, { secretAccessKey: "other-secret" }, "the secret access key is wrong (SignatureDoesNotMatch)"],
    ["has another region", null, { region: "us-east-1" }, "the region is wrong (AuthorizationHeaderMalformed)"],
  ])("name the reason when the bucket %s, without keys", async (_name, fault, settings, reason) => {
    if (fault) await server.fail(fault);
    const failing = clientWith(settings);
    for (const work of [
      () => failing.put("x", Buffer.from("x")),
      () => Array.fromAsync(failing.list("")),
      () => buffer(failing.read("stored")),
    ]) {
      const error = await failureOf(work());
      expect(error).toBeInstanceOf(S3Error);
      expect(String(error)).toContain(reason);
      for (const secret of [server.s3.accessKeyId, server.s3.secretAccessKey, "other-secret", "AKIDOTHER", "Signature="])
        expect(String(error)).not.toContain(secret);
    }
  });

  it("name the reason when the service does not run", async () => {
    const other = await startS3Server();
    await other.stop();
    const error = await failureOf(clientWith({ endpoint: other.s3.endpoint }).put("x", Buffer.from("x")));
    expect(String(error)).toContain("it cannot be reached (ECONNREFUSED)");
  });

  it("sign their bodies, so that changed bytes are refused", async () => {
    const { headers, body } = await signedPut();
    const send = (sent: Uint8Array<ArrayBuffer>) =>
      fetch(`${server.s3.endpoint}/${server.bucket}/signed`, { method: "PUT", headers, body: sent });
    expect((await send(body)).status).toBe(200);
    const changed = Buffer.from(body);
    changed[0] = (changed[0] ?? 0) ^ 1;
    const refused = await send(changed);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("XAmzContentSHA256Mismatch")]);
  });
});

async function signedPut(): Promise<{ headers: Headers; body: Buffer<ArrayBuffer> }> {
  const body = Buffer.from("signed");
  const original = globalThis.fetch;
  let headers = new Headers();
  globalThis.fetch = (_url, init) => {
    headers = new Headers(init?.headers);
    return Promise.resolve(new Response());
  };
  try {
    await client.put("signed", body);
  } finally {
    globalThis.fetch = original;
  }
  return { headers, body };
}

it.each([
  ["s3://bucket", { bucket: "bucket", prefix: "" }],
  ["s3://my.bucket-1/", { bucket: "my.bucket-1", prefix: "" }],
  ["s3://bucket/a/b", { bucket: "bucket", prefix: "a/b/" }],
  ["s3://bucket/a/../b", null],
  ["s3://b", null],
  ["s3://Bucket/a", null],
  ["s3://bucket//a", null],
  ["s3://key:secret@bucket/a", null],
  ["https://bucket/a", null],
])("parses the location %s", (location, expected) => {
  expect(parseBucket(location)).toEqual(expected);
});

it("decodes the entities of XML", () => {
  expect(textOf("<a><ETag>&quot;x&#38;&#x26;&amp;&quot;</ETag></a>", "ETag")).toBe('"x&&&"');
});
