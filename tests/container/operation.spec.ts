import { execFile } from "node:child_process";
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { freePort } from "../harness/app.ts";
import { signIn, signUp } from "../harness/people.ts";
import { type Container, type ContainerOptions, engine, ready, startContainer } from "./container-engine.ts";

const run = promisify(execFile);
const IMAGE = process.env.CONTAINER_IMAGE ?? "";

const containers: Container[] = [];
const folders: string[] = [];
const start = async (options: Omit<ContainerOptions, "image">) => {
  const container = await startContainer({ image: IMAGE, port: await freePort(), ...options });
  containers.push(container);
  return container;
};
async function folder(uid: number, gid = uid): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "atelier-container-"));
  folders.push(path);
  await chmod(path, 0o770);
  await chown(path, uid, gid);
  return path;
}

test.skip(process.getuid?.() !== 0, "folders of other users need root");
test.afterEach(async () => {
  for (const container of containers.splice(0)) await container.remove();
  for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
});

test("backs up to a mounted folder while it runs, and restores from it", { tag: "@container-backup" }, async () => {
  const backups = await folder(1000);
  const first = await start({ data: await folder(1000), flags: [`--volume=${backups}:/backup`] });
  await ready(first);
  const person = await signUp(first.url, "Ada");
  await first.exec("node", "server/commands/backup.ts", "/backup/today");
  await first.stop();

  const data = await folder(1000);
  const restored = await start({
    data,
    flags: [`--volume=${backups}:/backup:ro`],
    command: ["node", "server/commands/restore.ts", "/backup/today"],
  });
  expect(await restored.wait(), await restored.logs()).toBe(0);
  const second = await start({ data });
  await ready(second);
  expect((await signIn(second.url, person)).cookies.length).toBeGreaterThan(0);
});

test("lists users while it runs", { tag: "@container-user" }, async () => {
  const container = await start({ data: await folder(1000) });
  await ready(container);
  const { email } = await signUp(container.url, "Ada");
  expect(await container.exec("node", "server/start.js", "user", "list")).toContain(email);
});

test("reads secrets from mounted files", { tag: "@container-secrets" }, async () => {
  const secrets = await folder(1000);
  await writeFile(join(secrets, "metrics"), `${"m".repeat(40)}\n`);
  const container = await start({
    data: await folder(1000),
    settings: { METRICS_TOKEN_FILE: "/run/secrets/metrics" },
    flags: [`--volume=${secrets}:/run/secrets:ro`],
  });
  await ready(container);
  const metrics = await fetch(`${container.url}/metrics`, { headers: { Authorization: `Bearer ${"m".repeat(40)}` } });
  expect(metrics.status).toBe(200);
});

test("logs to its output only", { tag: "@container-logs" }, async () => {
  const data = await folder(1000);
  const container = await start({ data });
  await ready(container);
  await signUp(container.url, "Ada");
  expect(await container.logs()).toContain('"msg"');
  expect((await readdir(data, { recursive: true })).filter((path) => path.endsWith(".log"))).toEqual([]);
});

test("names the owner of a volume that it cannot write to", { tag: "@container-foreign-volume" }, async () => {
  const container = await start({ data: await folder(0) });
  expect(await container.wait()).not.toBe(0);
  expect(await container.logs()).toContain("/data belongs to user 0 and group 0, and the app runs as user 1000 and group 1000");
});

test("names a full volume", { tag: "@container-full-volume" }, async () => {
  const data = await folder(1000);
  await run("mount", ["-t", "tmpfs", "-o", "size=1m,uid=1000,gid=1000,mode=0700", "tmpfs", data]);
  const container = await start({ data });
  try {
    expect(await container.wait()).not.toBe(0);
    expect(await container.logs()).toMatch(/The disk of \/data is full/);
  } finally {
    await container.remove();
    await run("umount", [data]);
  }
});

test("runs as any user of group 0, as OpenShift starts it", { tag: "@container-any-user" }, async () => {
  const data = await folder(0);
  const container = await start({ data, flags: ["--user=1000680000:0"] });
  await ready(container);
  await signUp(container.url, "Ada");
});

test("listens on IPv6", { tag: "@container-ipv6" }, async () => {
  const container = await start({ data: await folder(1000), settings: { HOST: "::" } });
  await ready(container);
  const answer = await container.exec("node", "-e", "fetch('http://[::1]:3000/healthz').then((r) => console.log(r.status))");
  expect(answer).toBe("200");
});

test("refuses data of a newer version", { tag: "@container-newer-data" }, async () => {
  const data = await folder(1000);
  const first = await start({ data });
  await ready(first);
  await first.stop();
  await first.remove();
  await engine("run", "--rm", `--volume=${data}:/data`, IMAGE, "node", "--disable-warning=ExperimentalWarning", "-e", NEWER);
  const second = await start({ data });
  expect(await second.wait()).not.toBe(0);
  expect(await second.logs()).toMatch(/newer/);
});

const NEWER = `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync("/data/convex/deployment.sqlite3").exec("PRAGMA user_version = 1000")`;
