import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { Upload } from "tus-js-client";
import { badFiles, type ChosenFile } from "../fixtures/pictures.ts";
import { expect, type Person, type RunningApp, signIn, signUp, test } from "../harness/test.ts";
import { deploymentPidIn } from "../harness/processes.ts";
import { compareStored } from "../harness/stored.ts";
import { chosen, imagesIn, makeDesign } from "../e2e/support/pictures.ts";

test.describe.configure({ mode: "parallel" });

const TUS = { "Tus-Resumable": "1.0.0" };
const BYTES = { "Content-Type": "application/offset+octet-stream" };

type Call = { method?: string; headers?: Record<string, string>; body?: Buffer };

function caller(app: RunningApp, person: Person | null) {
  return (path: string, { headers, ...rest }: Call = {}) =>
    fetch(app.url + path, {
      ...rest,
      body: rest.body ? new Uint8Array(rest.body) : null,
      redirect: "manual",
      headers: { Origin: app.url, ...(person && { Cookie: person.cookieHeader }), ...headers },
    });
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

function creation(designId: string, file: ChosenFile, more: Record<string, string> = {}): Record<string, string> {
  const messages = Object.entries({ design: designId, filename: file.name, ...more });
  return {
    ...TUS,
    "Upload-Length": String(file.buffer.length),
    "Upload-Metadata": messages.map(([key, value]) => `${key} ${base64(value)}`).join(","),
  };
}

async function create(call: ReturnType<typeof caller>, designId: string, file: ChosenFile, more?: Record<string, string>): Promise<string> {
  const answer = await call("/uploads", { method: "POST", headers: creation(designId, file, more) });
  expect(answer.status, await answer.text()).toBe(201);
  return answer.headers.get("Location") ?? "";
}

const patch = (call: ReturnType<typeof caller>, path: string, from: number, body: Buffer, headers: Record<string, string> = {}) =>
  call(path, { method: "PATCH", headers: { ...TUS, ...BYTES, "Upload-Offset": String(from), ...headers }, body });

const bytesOf = async (app: RunningApp, ...paths: string[]) => {
  const names = new Set(await readdir(join(app.dataDir, "parts")));
  return paths.map((path) => `${basename(path)}.part`).filter((name) => names.has(name));
};

test("finalizes a chunked upload once, for any number of requests", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const call = caller(app, person);
  const options = await call("/uploads", { method: "OPTIONS" });
  expect([options.status, options.headers.get("Tus-Extension"), options.headers.get("Tus-Max-Size")]).toEqual([
    204,
    "creation,creation-with-upload,checksum,expiration,termination",
    "50000000",
  ]);
  const fig = await chosen("fig");
  const path = await create(call, designId, fig, { checksum: sha256(fig.buffer) });
  expect((await call(`${path}/finish`, { method: "POST" })).status).toBe(409);

  const first = await patch(call, path, 0, fig.buffer.subarray(0, 100_000));
  expect([first.status, first.headers.get("Upload-Offset"), first.headers.get("Tus-Resumable")]).toEqual([204, "100000", "1.0.0"]);
  expect(await bytesOf(app, path)).toHaveLength(1);
  expect(Date.parse(first.headers.get("Upload-Expires") ?? "")).toBeGreaterThan(Date.now());
  const head = await call(path, { method: "HEAD", headers: TUS });
  expect([head.status, head.headers.get("Upload-Offset"), head.headers.get("Upload-Length"), head.headers.get("Cache-Control")]).toEqual([
    200,
    "100000",
    String(fig.buffer.length),
    "private, no-store",
  ]);
  expect((await patch(call, path, 99_999, fig.buffer.subarray(99_999))).status).toBe(409);
  const rest = fig.buffer.subarray(100_000);
  const digest = `sha256 ${createHash("sha256").update(rest).digest("base64")}`;
  expect((await patch(call, path, 100_000, Buffer.alloc(rest.length), { "Upload-Checksum": digest })).status).toBe(460);
  expect((await patch(call, path, 100_000, rest, { "Upload-Checksum": digest })).status).toBe(204);

  const finish = async () => (await call(`${path}/finish`, { method: "POST" })).json();
  const ends = [...(await Promise.all([finish(), finish()])), await finish()];
  const images = await imagesIn(app, person, designId);
  expect(images.map(({ name, checksum }) => [name, checksum])).toEqual([["fig.jpg", sha256(fig.buffer)]]);
  expect(ends).toEqual(Array.from({ length: 3 }, () => ({ ok: true, imageId: images[0]?._id })));
  expect((await call(path, { method: "HEAD", headers: TUS })).headers.get("Upload-Offset")).toBe(String(fig.buffer.length));

  const twin = { ...fig, name: "copy.jpg" };
  const known = await call("/uploads", { method: "POST", headers: creation(designId, twin, { checksum: sha256(fig.buffer) }) });
  expect([known.status, await known.json()]).toEqual([
    409,
    { problem: "Duplicate of fig.jpg in this design. Not added.", duplicateOf: { imageId: images[0]?._id, name: "fig.jpg" } },
  ]);
  const untold = await create(call, designId, twin);
  await patch(call, untold, 0, fig.buffer);
  expect(await (await call(`${untold}/finish`, { method: "POST" })).json()).toMatchObject({ ok: false, duplicateOf: { name: "fig.jpg" } });
  expect(await (await call(`${untold}/finish?anyway=1`, { method: "POST" })).json()).toMatchObject({ ok: true });
  expect(await imagesIn(app, person, designId)).toHaveLength(2);

  const bad = badFiles.renamedText();
  const refused = await create(call, designId, bad);
  await patch(call, refused, 0, bad.buffer);
  expect(await (await call(`${refused}/finish`, { method: "POST" })).json()).toMatchObject({ ok: false, again: false });
  const gone = await create(call, designId, bad);
  expect((await call(gone, { method: "DELETE", headers: TUS })).status).toBe(204);
  expect((await call(gone, { method: "HEAD", headers: TUS })).status).toBe(404);
  expect(await bytesOf(app, path, untold, refused, gone)).toEqual([]);
});

test("rejects other users and sites that read, resume, finalize or end an upload", async ({ app, person, stranger }) => {
  const { designId } = await makeDesign(app, person);
  const fig = await chosen("fig");
  const path = await create(caller(app, person), designId, fig);
  for (const [who, status] of [
    [stranger, 404],
    [null, 401],
  ] as const) {
    const call = caller(app, who);
    const answers = [
      await call(path, { method: "HEAD", headers: TUS }),
      await patch(call, path, 0, fig.buffer),
      await call(path, { method: "DELETE", headers: TUS }),
      await call(path, { method: "POST", headers: { ...TUS, "X-HTTP-Method-Override": "DELETE" } }),
      await call(`${path}/finish`, { method: "POST" }),
      await call("/uploads", { method: "POST", headers: creation(designId, fig) }),
    ];
    expect(answers.map((each) => each.status)).toEqual(answers.map(() => status));
    for (const each of answers) expect(each.headers.get("Access-Control-Allow-Origin")).toBeNull();
  }
  const elsewhere = { Origin: "https://elsewhere.example" };
  const call = caller(app, person);
  expect((await patch(call, path, 0, fig.buffer, elsewhere)).status).toBe(403);
  expect((await call(path, { method: "DELETE", headers: { ...TUS, ...elsewhere } })).status).toBe(403);
  expect((await call(path, { method: "HEAD", headers: TUS })).headers.get("Upload-Offset")).toBe("0");
});

test("refuses every request of a revoked session, also for finished uploads", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  const token = page.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
  const call = caller(app, { ...person, cookieHeader: [person.cookieHeader, ...token].join("; ") });
  const file = await chosen("path");
  const [unfinished, finished] = [await create(call, designId, file), await create(call, designId, file, { anyway: "yes" })];
  await patch(call, finished, 0, file.buffer);
  expect((await call(`${finished}/finish?anyway`, { method: "POST" })).status).toBe(200);
  expect((await call(unfinished, { method: "HEAD", headers: TUS })).status).toBe(200);

  const other = await signIn(app.url, person);
  const revoked = await fetch(`${app.url}/api/auth/revoke-other-sessions`, {
    method: "POST",
    headers: { Origin: app.url, Cookie: other.cookieHeader },
  });
  expect(revoked.status).toBe(200);
  expect((await call(unfinished, { method: "HEAD", headers: TUS })).status).toBe(401);
  expect((await patch(call, unfinished, 0, file.buffer)).status).toBe(401);
  expect((await call(unfinished, { method: "DELETE", headers: TUS })).status).toBe(401);
  expect((await call(`${unfinished}/finish`, { method: "POST" })).status).toBe(401);
  expect((await call(`${finished}/finish`, { method: "POST" })).status).toBe(401);
  const head = await caller(app, { ...person, cookieHeader: other.cookieHeader })(unfinished, { method: "HEAD", headers: TUS });
  expect([head.status, head.headers.get("Upload-Offset")]).toEqual([200, "0"]);
});

test("rejects requests against the protocol or the limits with a reason", async ({ launch }) => {
  const app = await launch({ UPLOAD_MAX_BYTES: "300000", STORAGE_QUOTA_BYTES: "500000" });
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const call = caller(app, person);
  const fig = await chosen("fig");
  const path = await create(call, designId, fig);
  const post = (headers: Record<string, string>) => call("/uploads", { method: "POST", headers });
  const good = creation(designId, fig);
  const { "Upload-Length": _, ...noLength } = good;
  const answers = {
    "no version": await post({ ...good, "Tus-Resumable": "" }),
    "no length": await post(noLength),
    "no metadata": await post({ ...good, "Upload-Metadata": "" }),
    "no design": await post(creation("nonsense", fig)),
    "too large": await post({ ...good, "Upload-Length": "300001" }),
    "no bytes": await patch(call, path, 0, fig.buffer, { "Content-Type": "text/plain" }),
    "no offset": await patch(call, path, 0, fig.buffer, { "Upload-Offset": "-1" }),
    "too many bytes": await patch(call, path, 0, Buffer.alloc(fig.buffer.length + 100_000)),
    "read as a page": await call(path),
    unknown: await call("/uploads/6d9b7b1e-8a55-4d52-a1fd-b37c1db4a2d4", { method: "HEAD", headers: TUS }),
  };
  expect(Object.fromEntries(Object.entries(answers).map(([what, { status }]) => [what, status]))).toEqual({
    "no version": 412,
    "no length": 400,
    "no metadata": 400,
    "no design": 404,
    "too large": 413,
    "no bytes": 415,
    "no offset": 400,
    "too many bytes": 413,
    "read as a page": 412,
    unknown: 404,
  });
  expect((await answers["too large"].json()).problem).toContain("maximum 300 kB");

  await call(path, { method: "DELETE", headers: TUS });
  await create(call, designId, fig);
  const path2 = await chosen("bank");
  await create(call, designId, path2);
  const full = await call("/uploads", { method: "POST", headers: { ...good, "Upload-Length": "250000" } });
  expect([full.status, (await full.json()).problem]).toEqual([
    413,
    expect.stringMatching(
      /^Not enough storage: the file needs 250 kB, but 2\d\d(\.\d)? kB of 500 kB is free\. Delete images and empty the trash/,
    ),
  ]);
});

test("a standard client resumes after a cut connection and a killed server", async ({ ownApp: app }) => {
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const call = caller(app, person);
  const file = await chosen("path");
  const path = await create(call, designId, file, { checksum: sha256(file.buffer) });

  for (const [from, how] of [
    [0, "cut"],
    [150_000, "killed"],
  ] as const) {
    const socket = sendPiece(app, person, path, from, file.buffer.subarray(from, from + 150_000), file.buffer.length - from);
    await expect
      .poll(async () => Number((await call(path, { method: "HEAD", headers: TUS })).headers.get("Upload-Offset")))
      .toBe(from + 150_000);
    if (how === "cut") socket.destroy();
    else {
      await app.kill();
      await app.start();
    }
  }
  const sent: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const upload = new Upload(file.buffer, {
      uploadUrl: app.url + path,
      headers: { Origin: app.url, Cookie: person.cookieHeader },
      onProgress: (bytes) => void sent.push(bytes),
      onSuccess: () => resolve(),
      onError: reject,
    });
    upload.start();
  });
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(300_000);

  const asking = call(`${path}/finish`, { method: "POST" }).catch(() => null);
  await expect
    .poll(async () => (await compareStored(app)).bytesWithoutRow.length + (await imagesIn(app, person, designId)).length, {
      intervals: [5],
    })
    .toBe(1);
  await app.kill();
  await asking;
  await app.start();
  const end = await (await call(`${path}/finish`, { method: "POST" })).json();
  const images = await imagesIn(app, person, designId);
  expect(images.map(({ _id, checksum }) => [_id, checksum])).toEqual([[end.imageId, sha256(file.buffer)]]);
  // A killed server may leave bytes without a row until the sweep, never a row without bytes.
  const { rowsWithoutBytes, bytesWithoutRow } = await compareStored(app);
  expect(rowsWithoutBytes).toEqual([]);
  expect(bytesWithoutRow.length).toBeLessThanOrEqual(2);
  const original = await call(`/images/${end.imageId}?original=1`);
  expect(sha256(Buffer.from(await original.arrayBuffer()))).toBe(sha256(file.buffer));
  expect(await bytesOf(app, path)).toEqual([]);
});

test("accepts chunks while the deployment is down and finalizes afterwards", async ({ ownApp: app }) => {
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  const token = page.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
  const call = caller(app, { ...person, cookieHeader: [person.cookieHeader, ...token].join("; ") });
  const file = await chosen("path");
  const path = await create(call, designId, file);
  process.kill(deploymentPidIn(app.output()), "SIGKILL");
  expect((await patch(call, path, 0, file.buffer)).status).toBe(204);
  const answers: { ok?: boolean; again?: boolean }[] = [];
  await expect
    .poll(async () => {
      const answer = await (await call(`${path}/finish`, { method: "POST" })).json();
      answers.push(answer);
      return answer.ok;
    })
    .toBe(true);
  expect(answers.filter(({ ok, again }) => !ok && !again)).toEqual([]);
  expect(await imagesIn(app, person, designId)).toHaveLength(1);
  expect((await compareStored(app)).rowsWithoutBytes).toEqual([]);
});

function sendPiece(app: RunningApp, person: Person, path: string, from: number, piece: Buffer, announced: number) {
  const socket = connect(app.port, "127.0.0.1");
  socket.on("error", () => {});
  const lines = [
    `PATCH ${path} HTTP/1.1`,
    `Host: localhost:${app.port}`,
    `Origin: ${app.url}`,
    `Cookie: ${person.cookieHeader}`,
    "Tus-Resumable: 1.0.0",
    "Content-Type: application/offset+octet-stream",
    `Upload-Offset: ${from}`,
    `Content-Length: ${announced}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.write(piece);
  return socket;
}
