import { createHash, randomBytes } from "node:crypto";
import sharp from "sharp";
import { LARGEST_CHUNK } from "../../app/features/uploads/client/transfer/chunk-size.ts";
import { picturePath } from "../../tests/fixtures/pictures.ts";
import { startApp, type RunningApp } from "../../tests/harness/app.ts";
import { anonymousMiB, cpuMs, processesOf } from "../../tests/harness/processes.ts";
import { signUp, type Person } from "../../tests/harness/people.ts";
import { makeDesign } from "../../tests/e2e/support/pictures.ts";
import { baseline, removeFolder, temporaryFolder } from "../deployment.ts";
import { withComment } from "../photograph.ts";
import { atMost, median, ratio, type Figure } from "../report.ts";

const FILES = 100;
const LARGE_WIDTH = 4000;
const LARGE_FILES = 5;
const AT_ONCE = 4;
const BYTES = 2_000_000;
const ROUNDS = 3;
const MEMORY_MIB = 250;

export async function uploads(): Promise<Figure[]> {
  const folder = temporaryFolder("uploads");
  const photograph = await photographOf(BYTES);
  const bare = await baseline("upload-server", folder);
  const app = await startApp(profiled());
  try {
    const person = await signUp(app.url);
    const { designId } = await makeDesign(app, person);
    const browser = await browserOf(app, person);
    const plain: number[] = [];
    const decoded: number[] = [];
    const taken: number[] = [];
    const finished: number[] = [];
    await run(8, (file) => add(app, browser, designId, file), photograph);
    const idle = memoryOf(app);
    let most = idle;
    const pids = [...processesOf(app), bare.child.pid ?? 0];
    const before = pids.map(cpuMs);
    const watch = setInterval(() => (most = Math.max(most, memoryOf(app))), 50);
    for (let round = 0; round < ROUNDS; round += 1) {
      const toBare = (path: string) => (file: Upload) =>
        fetch(bare.url + path, { method: "POST", body: file.bytes }).then((answer) => answer.text());
      plain.push(await run(FILES, toBare(""), photograph));
      decoded.push(await run(FILES, toBare("/decoded"), photograph));
      let arriving = 0;
      const seconds = await run(FILES, async (file) => void (arriving += (await add(app, browser, designId, file)).arriving), photograph);
      finished.push(seconds);
      taken.push(arriving / AT_ONCE / 1000);
    }
    clearInterval(watch);
    const [ofApp = 0, ofDeployment = 0, ofBare = 0] = pids.map((pid, index) => (cpuMs(pid) - (before[index] ?? 0)) / (ROUNDS * FILES));
    const each = (seconds: number) => `${seconds.toFixed(2)} s (${((FILES * BYTES) / 1e6 / seconds).toFixed(0)} MB/s)`;
    return [
      { name: "bare server: stream, sha256, disk", value: each(median(plain)) },
      { name: "bare server: stream, sha256, disk, one decode", value: each(median(decoded)) },
      { name: "until the bytes are received (creation and PATCH)", value: each(median(taken)) },
      { name: "until each is an image", value: each(median(finished)) },
      {
        name: "CPU time per upload (bare server, with decode, app, deployment)",
        value: [ofBare / 2, ofApp, ofDeployment].map((ms) => `${ms.toFixed(1)} ms`).join(", "),
      },
      ratio("received ÷ bare server", median(plain), median(taken), 0.5),
      ratio("image ÷ bare server", median(plain), median(finished), 0.5),
      ratio("image ÷ bare server with one decode", median(decoded), median(finished), 0.5),
      atMost("memory above idle (app and deployment)", most - idle, MEMORY_MIB, "MiB"),
      await inChunks(app),
    ];
  } finally {
    await app.dispose();
    await bare.stop();
    removeFolder(folder);
  }
}

async function inChunks(app: RunningApp): Promise<Figure> {
  const whole: number[] = [];
  const chunked: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await signUp(app.url);
    const { designId } = await makeDesign(app, person);
    const browser = await browserOf(app, person);
    for (let n = 0; n < LARGE_FILES; n += 1) {
      whole.push((await add(app, browser, designId, await noise(LARGE_WIDTH))).arriving);
      chunked.push((await add(app, browser, designId, await noise(LARGE_WIDTH), LARGEST_CHUNK)).arriving);
    }
  }
  return ratio("48 MB in chunks ÷ one request", median(whole), median(chunked), 0.9);
}

async function noise(width: number): Promise<Upload> {
  const raw = { width, height: width, channels: 3 } as const;
  const png = await sharp(randomBytes(3 * width * width), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const bytes = Buffer.from(png);
  return { bytes, checksum: createHash("sha256").update(bytes).digest("hex") };
}

type Browser = { headers: Record<string, string> };

export async function browserOf(app: RunningApp, person: Person): Promise<Browser> {
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
  return { headers: { Origin: app.url, Cookie: [person.cookieHeader, ...cookies].join("; "), "Tus-Resumable": "1.0.0" } };
}

export async function add(
  app: RunningApp,
  { headers }: Browser,
  designId: string,
  file: Upload,
  chunk = Infinity,
): Promise<{ arriving: number; imageId: string }> {
  const { bytes, checksum } = file;
  const fields = { design: designId, filename: "photograph.jpg", checksum };
  const metadata = Object.entries(fields).map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`);
  const before = performance.now();
  const created = await fetch(`${app.url}/uploads`, {
    method: "POST",
    headers: { ...headers, "Upload-Length": String(bytes.length), "Upload-Metadata": metadata.join(",") },
  });
  const path = created.headers.get("Location");
  if (path === null) throw new Error(`Not created: ${await created.text()}`);
  for (let offset = 0; offset < bytes.length; offset += chunk) {
    const sent = await fetch(app.url + path, {
      method: "PATCH",
      headers: { ...headers, "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) },
      body: bytes.subarray(offset, offset + chunk),
    });
    if (sent.status !== 204) throw new Error(`Not taken: ${await sent.text()}`);
  }
  const arriving = performance.now() - before;
  const answer: { ok: boolean; imageId: string } = await (await fetch(`${app.url}${path}/finish`, { method: "POST", headers })).json();
  if (!answer.ok) throw new Error(`Not finished: ${JSON.stringify(answer)}`);
  return { arriving, imageId: answer.imageId };
}

let made = 0;

function run(count: number, send: (file: Upload) => Promise<unknown>, photograph: Buffer): Promise<number> {
  const files = Array.from({ length: count }, () => variant(photograph, made++));
  return sendAll(files, AT_ONCE, send);
}

export async function sendAll<File>(files: File[], atOnce: number, send: (file: File) => Promise<unknown>): Promise<number> {
  const before = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let file = files[next++]; file; file = files[next++]) await send(file);
    }),
  );
  return (performance.now() - before) / 1000;
}

export type Upload = { bytes: Buffer<ArrayBuffer>; checksum: string };

function variant(photograph: Buffer, index: number): Upload {
  const bytes = withComment(photograph, `${index}`);
  return { bytes, checksum: createHash("sha256").update(bytes).digest("hex") };
}

export function profiled(): Record<string, string> {
  const folder = process.env["BENCH_PROFILE"];
  return folder ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` } : {};
}

async function photographOf(bytes: number): Promise<Buffer> {
  let photograph = Buffer.alloc(0);
  for (let width = 2400; photograph.length < bytes; width += 400)
    photograph = await sharp(picturePath("dandelions")).resize(width).sharpen().jpeg({ quality: 95 }).toBuffer();
  return photograph;
}

function memoryOf(app: RunningApp): number {
  return processesOf(app).reduce((sum, pid) => sum + (anonymousMiB(pid) ?? 0), 0);
}
