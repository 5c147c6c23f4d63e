import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { backUp } from "@atelier/engine/backup";
import { checkCopy } from "@atelier/engine/check-data";
import { type FileBucketSettings, fileBucketVariables } from "@atelier/engine/file-bucket-settings";
import { convex, createIssuer, ADMIN_KEY, type EngineProcess, startEngine } from "@atelier/engine/testing/harness";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { runBackupCommand } from "../../tests/harness/backups.ts";
import { type S3Server, startS3Server } from "../../tests/harness/services/s3.ts";
import { bucketTarget } from "./targets/bucket-target.ts";
import { proveBackup } from "./prove-backup.ts";
import { runBackup } from "./run-backup.ts";

const root = mkdtempSync(join(tmpdir(), "atelier-files-in-bucket-"));
const dataDir = join(root, "data");
const files = anyApi["files"]!;
const STORED = 6;
const BODIES = Array.from({ length: STORED }, (_, each) => `stored file ${each} ${"x".repeat(5000)}`);
const keep = { days: 7, weeks: 4, months: 12 };
const keys = { recipients: [], passphrase: null, identities: [] };
const render = async () => ({ problems: [], rendered: 0 });
let engine: EngineProcess;
let project: string;
let server: S3Server;
let fileBucket: FileBucketSettings;
let tests = 0;

beforeAll(async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ secret: "s".repeat(32), engineAdminKey: ADMIN_KEY }));
  server = await startS3Server();
  fileBucket = { location: `s3://${server.bucket}/files`, s3: server.s3, cacheBytes: 0, movesBack: false, takesOver: false };
  await start();
  project = await pushFixture(engine, await createIssuer());
  for (const body of BODIES) await upload(body);
  await isMoved();
});
afterAll(async () => {
  await Promise.all([engine.stop("SIGKILL"), server.stop()]);
  for (const path of [root, project]) rmSync(path, { recursive: true, force: true });
});
beforeEach(() => void (tests += 1));
afterEach(() => server.fail());

async function start(): Promise<void> {
  for (const [name, value] of Object.entries(fileBucketVariables(fileBucket))) vi.stubEnv(name, value);
  engine = await startEngine(join(dataDir, "convex"), ADMIN_KEY);
  vi.unstubAllEnvs();
}
const client = () => new ConvexHttpClient(engine.url, { logger: false });
async function upload(body: string): Promise<void> {
  const answer = await fetch(await client().mutation(files["uploadUrl"]!, {}), { method: "POST", body });
  expect(answer.status).toBe(200);
}
const local = () => readdirSync(join(dataDir, "convex", "files"));
const isMoved = () => vi.waitFor(() => expect(local()).toEqual([]), 30_000);
const contentsOf = (folder: string): string[] =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .toSorted();

function emptyFolder(name: string): string {
  const path = join(root, `${name}-${tests}`);
  mkdirSync(path);
  return path;
}
const command = (script: "restore" | "check-data", args: string[], into: string, env: NodeJS.ProcessEnv) =>
  runBackupCommand(script, args, into, { env });

describe("files in a bucket", () => {
  it.each([
    ["folder", () => emptyFolder("backups"), null],
    ["bucket", () => `s3://${server.bucket}/backups`, () => server.s3],
  ])("are in a scheduled backup to a %s, and are restored", async (_name, target, s3) => {
    const to = target();
    const settings = { to, s3: s3?.() ?? null, keys, keep };
    const run = await runBackup({ dataDir, settings, fileBucket, env: {}, render });
    expect(run).toMatchObject({ problems: [] });
    expect((await runBackup({ dataDir, settings, fileBucket, env: {}, render })).newObjects).toBeLessThan(3);
    const restored = emptyFolder("restored");
    expect(await command("restore", [to], restored, server.env)).toMatchObject({ code: 0 });
    expect(contentsOf(join(restored, "convex", "files"))).toEqual(BODIES);
    expect((await command("check-data", [], restored, {})).output).toContain(`${STORED} stored files`);
  });

  it("are compared without being written when a backup in a bucket is tested", async () => {
    const to = `s3://${server.bucket}/compared`;
    const settings = { to, s3: server.s3, keys, keep };
    const { name } = await runBackup({ dataDir, settings, fileBucket, env: {}, render });
    const target = bucketTarget({ location: to, s3: server.s3, workDir: join(root, "work") });
    const written: string[][] = [];
    const test = async () => {
      const unlock = await target.lock();
      try {
        return await proveBackup({
          target,
          name,
          staged: emptyFolder(`staged-${written.length}`),
          decryption: { identities: [], decrypts: () => false },
          env: {},
          writtenBytes: 2 * (BODIES[0]?.length ?? 0),
          async render(dir) {
            written.push(contentsOf(join(dir, "convex", "files")));
            return { problems: [], rendered: 0 };
          },
        });
      } finally {
        await unlock();
      }
    };
    expect([await test(), written.map(({ length }) => length)]).toEqual([{ problems: [], pages: 0 }, [2]]);
    const { objects } = await server.command({ do: "list" });
    const key = objects.find((object) => object.key.startsWith("compared/objects/") && object.size === BODIES[0]?.length)?.key ?? "";
    await server.command({ do: "flip", key, at: 3, mask: 1 });
    expect((await test()).problems.join("\n")).toContain(key);
  });

  it("are named when they are damaged or missing during a backup", async () => {
    const { objects } = await server.command({ do: "list" });
    const [first, second] = objects.map(({ key }) => key).filter((key) => key.startsWith("files/files/"));
    await server.command({ do: "flip", key: first ?? "", at: 3, mask: 1 });
    await server.command({ do: "rename", key: second ?? "", to: "moved-away" });
    const settings = { to: emptyFolder("backups"), s3: null, keys, keep };
    const { problems } = await runBackup({ dataDir, settings, fileBucket, env: {}, render });
    expect(problems.join("\n")).toContain(`s3://${server.bucket}/${first} does not match its sha256`);
    expect(problems.join("\n")).toContain(`s3://${server.bucket}/${second} is missing`);
    await server.command({ do: "flip", key: first ?? "", at: 3, mask: 1 });
    await server.command({ do: "rename", key: "moved-away", to: second ?? "" });
  });

  it("are named when their bucket refuses a backup", async () => {
    await server.fail({ kind: "status", status: 403, code: "AccessDenied", on: "GET", key: "^files/files/" });
    const settings = { to: emptyFolder("backups"), s3: null, keys, keep };
    await expect(runBackup({ dataDir, settings, fileBucket, env: {}, render })).rejects.toThrow(
      /^s3:\/\/.*\/files\/files\/.* cannot be read, because this key may not use it \(AccessDenied\)\.$/,
    );
  });

  it("are in a single copy, which needs the settings of the bucket", async () => {
    const from = join(dataDir, "convex");
    await expect(backUp({ from, to: join(root, "refused"), adminKey: ADMIN_KEY })).rejects.toThrow(/FILES_S3_LOCATION is missing/);
    const to = join(root, "copy");
    await backUp({ from, to, adminKey: ADMIN_KEY, fileBucket });
    expect(contentsOf(join(to, "files"))).toEqual(BODIES);
    expect(await checkCopy(to)).toMatchObject({ problems: [], storedFiles: STORED });
  });

  it("are in an export", async () => {
    const path = join(root, "export.zip");
    expect(await convex(project, engine, ["export", "--include-file-storage", "--path", path])).toMatchObject({ code: 0 });
    const archive = readFileSync(path, "latin1");
    for (const body of BODIES) expect(archive).toContain(body);
  });

  it("are checked by check-data", async () => {
    await engine.stop();
    const variables = fileBucketVariables(fileBucket);
    try {
      expect((await command("check-data", [], dataDir, {})).output).toContain("FILES_S3_LOCATION is missing");
      expect(await command("check-data", [], dataDir, variables)).toMatchObject({ code: 0 });
      const { objects } = await server.command({ do: "list" });
      const key = objects.map((object) => object.key).find((each) => each.startsWith("files/files/")) ?? "";
      await server.command({ do: "flip", key, at: 3, mask: 1 });
      const { code, output } = await command("check-data", ["--set-aside"], dataDir, variables);
      expect([code, output]).toEqual([1, expect.stringContaining(`s3://${server.bucket}/${key}`)]);
      expect(output).toContain("1 damaged images in the bucket were not changed");
      await server.command({ do: "flip", key, at: 3, mask: 1 });
    } finally {
      await start();
    }
  });
});
