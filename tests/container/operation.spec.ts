import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chmod, chown, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { chosen, makeDesign, send } from "../e2e/support/pictures.ts";
import { pageActions } from "../e2e/support/page-actions.ts";
import { tray } from "../e2e/support/uploads.ts";
import { badFiles, noise } from "../fixtures/pictures.ts";
import { freePort } from "../harness/app.ts";
import { signIn, signUp } from "../harness/people.ts";
import { printedSettings } from "../harness/setup-convex.ts";
import { hydrated } from "../harness/test.ts";
import { type Container, type ContainerOptions, engine, ready, startContainer } from "./container-engine.ts";

const run = promisify(execFile);
const IMAGE = process.env.CONTAINER_IMAGE ?? "";

const containers: Container[] = [];
const images: string[] = [];
const folders: string[] = [];
const start = async (options: Partial<ContainerOptions>) => {
  const isPublished = !options.flags?.includes("--network=host");
  const container = await startContainer({ image: IMAGE, ...(isPublished && { port: await freePort() }), ...options });
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
  for (const image of images.splice(0)) await engine("rmi", image);
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

test("starts and answers without IPv4", { tag: "@container-ipv6" }, async () => {
  const prefix = `fd5a:${randomBytes(2).toString("hex")}`;
  const network = `atelier-test-${randomUUID()}`;
  await engine("network", "create", "--ipv6", `--subnet=${prefix}::/64`, network);
  const container = await startContainer({
    image: IMAGE,
    data: await folder(1000),
    settings: { HOST: "::" },
    flags: [`--network=${network}`],
  });
  try {
    const [pid, address] = (
      await engine("inspect", "--format={{.State.Pid}} {{range .NetworkSettings.Networks}}{{.GlobalIPv6Address}}{{end}}", container.name)
    ).split(" ");
    await run("nsenter", ["--target", pid ?? "", "--net", "ip", "-4", "address", "flush", "dev", "eth0"]);
    await ready({ ...container, url: `http://[${address}]:3000` });
  } finally {
    await container.remove();
    await engine("network", "rm", network);
  }
});

test("invites the first user from the container", { tag: "@container-first-user" }, async ({ browser }) => {
  const container = await start({ data: await folder(1000), settings: { ACCOUNTS_SIGN_UP: "invited" } });
  await ready(container);
  const email = `${randomUUID()}@example.com`;
  const output = await container.exec("node", "server/start.js", "user", "invite", email);
  const [, path = ""] = /https?:\/\/[^/\s]+(\/\S+)/.exec(output) ?? [];
  const page = await browser.newPage();
  await page.goto(container.url + path);
  await page.getByLabel("Name", { exact: true }).fill("Ada");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
  await page.getByRole("button", { name: /sign up|create account/i }).click();
  await expect(page.getByRole("heading", { name: "Projects", exact: true })).toBeVisible();
  expect(await container.exec("node", "server/start.js", "user", "list")).toContain(email);
  await page.close();
});

async function startDeployment() {
  const port = await freePort();
  const key = `image|${randomBytes(32).toString("hex")}`;
  const url = `http://127.0.0.1:${port}`;
  const deployment = await start({
    data: await folder(1000),
    port,
    settings: { CONVEX_ADMIN_KEY: key },
    command: ["node", "build/processes/deployment-process.js", "--data=/data", "--host=0.0.0.0", "--port=3000", `--url=${url}`],
  });
  await expect(async () => expect((await fetch(`${deployment.url}/version`)).status).toBe(200)).toPass();
  return { url, key };
}

async function startOnHost({ settings = {}, flags = [], data }: Partial<ContainerOptions>) {
  const [port, enginePort, sitePort] = [await freePort(), await freePort(), await freePort()];
  const ports = { PORT: `${port}`, ENGINE_PORT: `${enginePort}`, ENGINE_SITE_PORT: `${sitePort}` };
  const container = await start({
    ...(data !== undefined && { data }),
    settings: { HOST: "127.0.0.1", ...ports, ...settings },
    flags: ["--network=host", ...flags],
  });
  const url = `http://127.0.0.1:${port}`;
  const app = { ...container, url, deployment: { url: `http://127.0.0.1:${enginePort}`, forBrowsers: `${url}/convex` } };
  await ready(app);
  return app;
}

test("sets up a Convex deployment and rotates its key from the image", { tag: "@container-setup" }, async () => {
  const { url, key } = await startDeployment();
  const setUp = async (settings: Record<string, string>, ...flags: string[]) => {
    const container = await start({
      settings: { CONVEX_URL: url, CONVEX_DEPLOY_KEY: key, ...settings },
      flags: ["--network=host"],
      command: ["node", "server/start.js", "setup:convex", ...flags],
    });
    expect(await container.wait(), await container.logs()).toBe(0);
    return printedSettings(await container.logs());
  };
  const settings = await setUp({});
  expect(Object.keys(settings).toSorted()).toEqual(["BETTER_AUTH_SECRET", "CONVEX_URL", "TOKEN_SIGNING_KEY"]);
  const rotated = await setUp(settings, "--rotate-keys");
  expect(Object.keys(rotated).toSorted()).toEqual(["CONVEX_URL", "TOKEN_SIGNING_KEY"]);
  for (const keys of [settings, { ...settings, ...rotated }]) await (await startOnHost({ settings: keys })).stop();
});

test("moves its data to a Convex deployment while it runs, and back", { tag: "@container-move" }, async () => {
  const { url, key } = await startDeployment();
  const app = await startOnHost({ data: await folder(1000), flags: ["--memory=2g"] });
  const person = await signUp(app.url, "Ada");
  const move = (...args: string[]) =>
    engine(
      "exec",
      `--env=CONVEX_DEPLOY_KEY=${key}`,
      app.name,
      "node",
      "server/start.js",
      "move",
      "--from=embedded",
      `--to=${url}`,
      ...args,
    );
  expect(await move("--dry-run")).toContain("Nothing was changed");
  await move();
  const settings = printedSettings(await app.exec("cat", "/data/move/settings.env"));
  expect(Object.keys(settings).toSorted()).toEqual(["BETTER_AUTH_SECRET", "CONVEX_URL", "TOKEN_SIGNING_KEY"]);
  await app.stop();
  const moved = await startOnHost({ settings });
  expect((await signIn(moved.url, person)).cookies.length).toBeGreaterThan(0);
  await moved.stop();

  const data = await folder(1000);
  const movingBack = await start({
    data,
    settings: { ...settings, CONVEX_DEPLOY_KEY: key },
    flags: ["--network=host"],
    command: ["node", "server/start.js", "move", `--from=${url}`, "--to=embedded"],
  });
  expect(await movingBack.wait(), await movingBack.logs()).toBe(0);
  const back = await startOnHost({ data });
  expect((await signIn(back.url, person)).cookies.length).toBeGreaterThan(0);
});

test("checks the data of a volume, and names a damaged image", { tag: "@container-check-data" }, async () => {
  const data = await folder(1000);
  const app = await startOnHost({ data });
  const person = await signUp(app.url, "Ada");
  const { designId } = await makeDesign(app, person);
  expect(await (await send(app, person, designId, [await chosen("fig")])).json()).toMatchObject({ results: [{ ok: true }] });
  await app.stop();
  const check = async () => {
    const checking = await start({ data, command: ["node", "server/commands/check-data.ts"] });
    return { code: await checking.wait(), output: await checking.logs() };
  };
  const sound = await check();
  expect(sound).toMatchObject({ code: 0, output: expect.stringContaining("/data/convex has no problems") });
  expect(sound.output).not.toContain(" 0 stored files");
  const stored = await readdir(join(data, "convex/files"), { recursive: true, withFileTypes: true });
  const [path = ""] = stored.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  await truncate(path, 1);
  expect(await check()).toMatchObject({ code: 1, output: expect.stringContaining(basename(path)) });
});

test("a newer image continues open pages and a running upload", { tag: "@container-newer-image" }, async ({ browser }) => {
  const newer = await newerImage();
  const [data, port] = [await folder(1000), await freePort()];
  const first = await start({ data, port });
  await ready(first);
  const person = await signUp(first.url, "Ada");
  const context = await browser.newContext({ baseURL: first.url });
  await context.addCookies(person.cookies);
  const [page, other] = [await context.newPage(), await context.newPage()];
  const actions = pageActions(page, true);
  await actions.makeProject("Spring");
  await actions.create("design", "Cover");
  await expect(page.getByRole("heading", { name: "Cover" })).toBeVisible();
  await other.goto("/projects");
  await hydrated(other);
  let loads = 0;
  other.on("load", () => loads++);

  const network = await context.newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 200_000 };
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", slow);
  const sending = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByLabel("Add images").setInputFiles(await noise("large.png", 1300, 1300));
  await sending;
  await first.stop();
  await first.remove();
  const second = await start({ image: newer, data, port });
  await ready(second);
  await network.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
  await expect(tray(page).getByRole("heading")).toHaveText("1 image added");
  await expect(page.getByRole("main").getByRole("img").first()).toBeVisible();
  const form = new URLSearchParams({ intent: "createProject", name: "After" });
  const made = await fetch(`${first.url}/projects`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: person.cookieHeader, Origin: first.url },
    body: form,
  });
  expect(made.status).toBe(303);
  await expect(other.getByRole("main").getByText("After")).toBeVisible();
  expect(loads).toBe(0);
  await context.close();
});

async function newerImage(): Promise<string> {
  const [name, tag] = [`atelier-newer-${randomUUID()}`, "localhost/atelier:newer"];
  await engine("run", "--user=0", `--name=${name}`, IMAGE, "node", "-e", CHANGE);
  await engine("commit", "--change=USER 1000:1000", '--change=CMD ["node","server/start.js"]', name, tag);
  await engine("rm", "--volumes", name);
  images.push(tag);
  return tag;
}

test("continues when a drawing needs more memory than the container has", { tag: "@container-memory" }, async () => {
  const app = await startOnHost({ data: await folder(1000) });
  const person = await signUp(app.url, "Ada");
  const { designId } = await makeDesign(app, person);
  const refused = await (await send(app, person, designId, [badFiles.largeDrawing()])).json();
  expect(refused).toMatchObject({ results: [{ ok: false, problem: expect.stringMatching(/too (?:much memory|long) to render/) }] });
  expect(await (await send(app, person, designId, [await chosen("fig")])).json()).toMatchObject({ results: [{ ok: true }] });
});

test("goes back to the data before an update", { tag: "@container-rollback" }, async () => {
  const newer = await newerImage();
  const data = await folder(1000);
  const use = async <T>(image: string, work: (container: Container) => Promise<T>) => {
    const container = await start({ image, data });
    await ready(container);
    const result = await work(container);
    await container.stop();
    return result;
  };
  const before = await use(IMAGE, ({ url }) => signUp(url, "Ada"));
  const after = await use(newer, ({ url }) => signUp(url, "Grace"));
  const rollBack = async (...args: string[]) => {
    const container = await start({ image: newer, data, command: ["node", "server/commands/rollback.ts", ...args] });
    expect(await container.wait(), await container.logs()).toBe(0);
    return container.logs();
  };
  const [name = ""] = /\d{4}-\d\d-\d\dT[\d-]+/.exec(await rollBack()) ?? [];
  expect(await rollBack(name)).toContain(`Restored the database from the snapshot ${name}`);
  await use(IMAGE, async ({ url }) => {
    expect((await signIn(url, before)).cookies.length).toBeGreaterThan(0);
    await expect(signIn(url, after)).rejects.toThrow("401");
  });
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

const CHANGE = `const fs = require("node:fs");
const path = "/app/build/convex/push.json";
const artifact = JSON.parse(fs.readFileSync(path, "utf8"));
const projects = artifact.appDefinition.changedModules.find((module) => module.path === "projects.js");
projects.source += "\\nglobalThis.newerBuild = true;\\n";
delete projects.sourceMap;
fs.writeFileSync(path, JSON.stringify(artifact));`;

const NEWER = `const { DatabaseSync } = require("node:sqlite"); new DatabaseSync("/data/convex/deployment.sqlite3").exec("PRAGMA user_version = 1000")`;
