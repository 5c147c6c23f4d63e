/** Test server of the S3 protocol, in its own process. Stores objects in memory, verifies signatures and fails as `Fault` describes. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Command, Fault, S3Reply, S3ServerOptions } from "./s3.ts";

const options: S3ServerOptions = JSON.parse(process.argv[2] ?? "{}");

type Stored = { body: Buffer; etag: string; owner: string | undefined; modified: Date };
type Upload = { key: string; parts: Map<number, { body: Buffer; etag: string }>; initiated: Date };

const objects = new Map<string, Stored>();
const uploads = new Map<string, Upload>();
let faults: Fault[] = [];
let isGone = false;
let requests: S3Reply["requests"] = [];

class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

const server = createServer((request, response) => {
  void answer(request, response).catch((error: unknown) => {
    if (response.headersSent || response.destroyed) return response.destroy();
    const { status, code } = error instanceof Refusal ? error : new Refusal(500, "InternalError");
    // Services repeat the key of the caller, which must not reach a log.
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused ${request.headers.authorization}</Message></Error>`;
    response.writeHead(status, { "Content-Type": "application/xml" }).end(request.method === "HEAD" ? undefined : body);
  });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
  const [, bucket, ...rest] = decodeURIComponent(url.pathname).split("/");
  const key = rest.join("/");
  const method = request.method ?? "";
  requests.push({ method, key, query: url.search, range: request.headers.range ?? null });
  const fault = faults.find(({ on, key: pattern }) => (!on || on === method) && (!pattern || new RegExp(pattern).test(key)));
  if (fault?.times !== undefined) {
    fault.times -= 1;
    if (fault.times === 0) faults = faults.filter((each) => each !== fault);
  }
  if (fault?.kind === "hang") return;
  if (fault?.kind === "drop") return void request.socket.destroy();
  const body = await bodyOf(request, fault?.kind === "slow" ? (fault.bytesPerSecond ?? Infinity) : Infinity);
  if (fault?.kind === "status") throw new Refusal(fault.status ?? 503, fault.code ?? "SlowDown");
  verifySignature(request, url, body);
  if (isGone || bucket !== options.bucket) throw new Refusal(404, "NoSuchBucket");
  const result = handle(method, key, url.searchParams, request, body);
  if (fault?.kind === "drop-answer") return void request.socket.destroy();
  await send(response, result, fault);
}

type Result = { status: number; headers?: Record<string, string>; body?: Buffer | string };

function handle(method: string, key: string, query: URLSearchParams, request: IncomingMessage, body: Buffer): Result {
  const id = query.get("uploadId");
  if (key === "") return query.has("uploads") ? listUploads(query) : listObjects(query);
  if (id !== null) return handleUpload(method, key, id, query, body);
  if (method === "POST" && query.has("uploads")) {
    const created = randomUUID();
    uploads.set(created, { key, parts: new Map(), initiated: new Date() });
    return { status: 200, body: `<InitiateMultipartUploadResult><UploadId>${created}</UploadId></InitiateMultipartUploadResult>` };
  }
  if (method === "PUT") return put(key, request, body);
  if (method === "DELETE") {
    objects.delete(key);
    return { status: 204 };
  }
  const found = objects.get(key);
  if (!found) throw new Refusal(404, "NoSuchKey");
  return get(found, request);
}

function get(found: Stored, request: IncomingMessage): Result {
  const { "if-match": match, range } = request.headers;
  if (match !== undefined && match !== found.etag) throw new Refusal(412, "PreconditionFailed");
  const headers = {
    ETag: found.etag,
    "Last-Modified": found.modified.toUTCString(),
    "Content-Length": String(found.body.length),
    ...(found.owner && { "X-Amz-Meta-Owner": found.owner }),
  };
  const start = /^bytes=(\d+)-$/.exec(range ?? "")?.[1];
  if (start === undefined) return { status: 200, headers, body: found.body };
  const body = found.body.subarray(Number(start));
  return { status: 206, headers: { ...headers, "Content-Length": String(body.length) }, body };
}

function put(key: string, request: IncomingMessage, body: Buffer): Result {
  const { "if-none-match": noneMatch, "if-match": match, "x-amz-copy-source": source, "content-md5": md5 } = request.headers;
  const existing = objects.get(key);
  if ((noneMatch === "*" && existing) || (match !== undefined && existing?.etag !== match)) throw new Refusal(412, "PreconditionFailed");
  const copied = source === undefined ? null : objects.get(String(source).slice(options.bucket.length + 2));
  if (copied === undefined) throw new Refusal(404, "NoSuchKey");
  const content = copied?.body ?? body;
  if (copied === null && md5 !== createHash("md5").update(content).digest("base64")) throw new Refusal(400, "BadDigest");
  const etag = `"${createHash("md5").update(content).digest("hex")}"`;
  objects.set(key, { body: content, etag, owner: request.headers["x-amz-meta-owner"]?.toString(), modified: new Date() });
  return copied
    ? { status: 200, body: `<CopyObjectResult><ETag>${etag}</ETag></CopyObjectResult>` }
    : { status: 200, headers: { ETag: etag } };
}

function handleUpload(method: string, key: string, id: string, query: URLSearchParams, body: Buffer): Result {
  const upload = uploads.get(id);
  if (upload?.key !== key) throw new Refusal(404, "NoSuchUpload");
  if (method === "PUT") {
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    upload.parts.set(Number(query.get("partNumber")), { body, etag });
    return { status: 200, headers: { ETag: etag } };
  }
  const parts = [...upload.parts].toSorted(([a], [b]) => a - b);
  if (method === "GET") {
    const after = Number(query.get("part-number-marker") ?? 0);
    const page = parts.filter(([number]) => number > after).slice(0, options.pageSize);
    const last = page.at(-1)?.[0] ?? after;
    const listed = page.map(
      ([number, part]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(part.etag)}</ETag><Size>${part.body.length}</Size></Part>`,
    );
    const more = `<IsTruncated>${parts.some(([number]) => number > last)}</IsTruncated><NextPartNumberMarker>${last}</NextPartNumberMarker>`;
    return { status: 200, body: `<ListPartsResult>${more}${listed.join("")}</ListPartsResult>` };
  }
  uploads.delete(id);
  if (method === "DELETE") return { status: 204 };
  const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  const chosen = wanted.map(([, number, etag]) => {
    const part = upload.parts.get(Number(number));
    if (!part || part.etag !== etag?.replaceAll("&quot;", '"')) throw new Refusal(400, "InvalidPart");
    return part.body;
  });
  if (chosen.slice(0, -1).some((part) => part.length < options.leastPartBytes)) throw new Refusal(400, "EntityTooSmall");
  const content = Buffer.concat(chosen);
  const etag = `"${createHash("md5").update(content).digest("hex")}-${chosen.length}"`;
  objects.set(key, { body: content, etag, owner: undefined, modified: new Date() });
  return { status: 200, body: `<CompleteMultipartUploadResult><ETag>${escaped(etag)}</ETag></CompleteMultipartUploadResult>` };
}

function listObjects(query: URLSearchParams): Result {
  const after = query.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after).toSorted();
  const page = keys.slice(0, options.pageSize);
  const listed = page.map(
    (key) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${objects.get(key)?.body.length}</Size></Contents>`,
  );
  const token = keys.length > page.length ? `<NextContinuationToken>${escaped(page.at(-1) ?? "")}</NextContinuationToken>` : "";
  return { status: 200, body: `<ListBucketResult>${token}${listed.join("")}</ListBucketResult>` };
}

function listUploads(query: URLSearchParams): Result {
  const found = [...uploads].filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""));
  const listed = found.map(
    ([id, { key, initiated }]) =>
      `<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId><Initiated>${initiated.toISOString()}</Initiated></Upload>`,
  );
  return {
    status: 200,
    body: `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${listed.join("")}</ListMultipartUploadsResult>`,
  };
}

function verifySignature(request: IncomingMessage, url: URL, body: Buffer): void {
  const { authorization = "" } = request.headers;
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([\da-f]{64})$/.exec(
      authorization,
    );
  if (!match) throw new Refusal(403, "AccessDenied");
  const [, keyId, day = "", region = "", signedHeaders = "", signature = ""] = match;
  if (keyId !== options.accessKeyId) throw new Refusal(403, "InvalidAccessKeyId");
  if (region !== options.region) throw new Refusal(400, "AuthorizationHeaderMalformed");
  const names = signedHeaders.split(";");
  for (const needed of ["host", "x-amz-content-sha256", "x-amz-date"]) if (!names.includes(needed)) throw new Refusal(403, "AccessDenied");
  const time = String(request.headers["x-amz-date"]);
  const sentAt = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!(Math.abs(Date.now() - sentAt) < 15 * 60_000)) throw new Refusal(403, "RequestTimeTooSkewed");
  const bodyHash = String(request.headers["x-amz-content-sha256"]);
  if (bodyHash !== sha256(body)) throw new Refusal(400, "XAmzContentSHA256Mismatch");
  const query = [...url.searchParams].map((pair) => pair.map(encoded).join("=")).toSorted();
  const path = decodeURIComponent(url.pathname).split("/").map(encoded).join("/");
  const headers = names.map((name) => `${name}:${String(request.headers[name]).trim().replace(/\s+/g, " ")}\n`);
  const canonical = [request.method, path, query.join("&"), headers.join(""), signedHeaders, bodyHash].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(Buffer.from(canonical))].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer>(hmac, Buffer.from(`AWS4${options.secretAccessKey}`));
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, "hex"))) throw new Refusal(403, "SignatureDoesNotMatch");
}

function store(key: string, body: Buffer): void {
  objects.set(key, { body, etag: `"${createHash("md5").update(body).digest("hex")}"`, owner: undefined, modified: new Date() });
}

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

async function bodyOf(request: IncomingMessage, bytesPerSecond: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
    await paced(chunk.length, bytesPerSecond);
  }
  return Buffer.concat(chunks);
}

async function send(response: ServerResponse, { status, headers = {}, body = "" }: Result, fault: Fault | undefined): Promise<void> {
  let content = Buffer.from(body);
  if (fault?.kind === "wrong" && content.length > 0) {
    content = Buffer.from(content);
    const at = Math.floor(Math.random() * content.length);
    content[at] = (content[at] ?? 0) ^ 1;
  }
  response.writeHead(status, { "Content-Length": String(content.length), ...headers });
  if (response.req.method === "HEAD") return void response.end();
  if (fault?.kind === "cut") return void response.write(content.subarray(0, content.length / 2), () => response.destroy());
  if (fault?.kind === "stall") return void response.write(content.subarray(0, content.length / 2));
  if (fault?.kind !== "slow") return void response.end(content);
  const piece = 16_384;
  for (let at = 0; at < content.length; at += piece) {
    response.write(content.subarray(at, at + piece));
    await paced(Math.min(piece, content.length - at), fault.bytesPerSecond ?? Infinity);
  }
  response.end();
}

const paced = (bytes: number, bytesPerSecond: number): Promise<void> =>
  bytesPerSecond === Infinity ? Promise.resolve() : new Promise((done) => setTimeout(done, (bytes / bytesPerSecond) * 1000));

process.on("message", (command: Command) => {
  if (command.do === "fail") faults = command.faults;
  if (command.do === "gone") isGone = command.gone;
  if (command.do === "forget") requests = [];
  if (command.do === "remove") objects.delete(command.key);
  if (command.do === "put") store(command.key, Buffer.from(command.body));
  if (command.do === "rename") {
    store(command.to, objects.get(command.key)?.body ?? Buffer.alloc(0));
    objects.delete(command.key);
  }
  if (command.do === "age") for (const upload of uploads.values()) upload.initiated = new Date(Date.now() - command.ms);
  if (command.do === "age") for (const object of objects.values()) object.modified = new Date(Date.now() - command.ms);
  if (command.do === "flip") {
    const object = objects.get(command.key);
    if (object) {
      object.body = Buffer.from(object.body);
      object.body[command.at] = (object.body[command.at] ?? 0) ^ command.mask;
    }
  }
  const listed = [...objects].map(([key, { body }]) => ({ key, size: body.length })).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const reply: S3Reply = { objects: listed, uploads: uploads.size, requests };
  process.send?.(reply);
});
process.once("disconnect", () => process.exit());

server.listen(options.port, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : null });
});
