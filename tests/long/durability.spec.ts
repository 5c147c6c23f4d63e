import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FunctionReturnType } from "convex/server";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import { APP_USER } from "../harness/app.ts";
import { deploymentPidIn } from "../harness/processes.ts";
import { compareStored } from "../harness/stored.ts";
import { expect, hydrated, openBrowser, type Person, type RunningApp, signUp, test } from "../harness/test.ts";
import { unzip } from "../zip.ts";
import { addPictures, chosen, deploymentAs, imagesIn, makeDesign, send } from "../e2e/support/pictures.ts";

test.describe.configure({ mode: "parallel" });

async function allProjects(app: RunningApp, person: Person): Promise<string[]> {
  const convex = await deploymentAs(app, person);
  const names: string[] = [];
  for (let cursor: string | null = null, isDone = false; !isDone;) {
    const answer: FunctionReturnType<typeof api.projects.listProjects> = await convex.query(api.projects.listProjects, {
      paginationOpts: { cursor, numItems: 100 },
    });
    names.push(...answer.page.map(({ name }) => name));
    ({ continueCursor: cursor, isDone } = answer);
  }
  return names;
}

test("SIGKILL loses no confirmed change and no session", async ({ ownApp, browser }) => {
  test.slow();
  const person = await signUp(ownApp.url);
  const page = await openBrowser(browser, ownApp, person);
  const create = (name: string) =>
    fetch(`${ownApp.url}/projects`, {
      method: "POST",
      redirect: "manual",
      headers: { Cookie: person.cookieHeader, Origin: ownApp.url, "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ intent: "createProject", name }),
    }).then(
      (answer) => answer.status === 303,
      () => false,
    );

  const confirmed: string[] = [];
  for (let round = 0; round < 3; round++) {
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; ; i++) {
        const name = `Project ${round}.${writer}.${i}`;
        if (await create(name)) confirmed.push(name);
        else return;
      }
    });
    await expect.poll(() => confirmed.length).toBeGreaterThan((round + 1) * 8);
    await ownApp.kill();
    await Promise.all(writers);
    await ownApp.start();

    await page.goto("/projects");
    await expect(page).toHaveURL(`${ownApp.url}/projects`);
    await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
    const stored = new Set(await allProjects(ownApp, person));
    expect(confirmed.filter((name) => !stored.has(name))).toEqual([]);
  }
  await page.context().close();
});

test("SIGKILL during a move and an archive leaves items and counts consistent", async ({ ownApp }) => {
  const person = await signUp(ownApp.url);
  const { designId: front } = await makeDesign(ownApp, person, "Front");
  const before = await deploymentAs(ownApp, person);
  const { projectId } = await before.query(api.designs.getDesignById, { id: front });
  const back = await before.mutation(api.designs.create, { projectId, name: "Back" });
  const size = { width: 1600, height: 1200, channels: 3 as const };
  const noise = await sharp(randomBytes(size.width * size.height * size.channels), { raw: size })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const pictures = Array.from({ length: 4 }, (_, each) => ({ name: `noise ${each}.png`, mimeType: "image/png", buffer: noise }));
  const still = await before.mutation(api.designs.create, { projectId, name: "Still" });
  const kept = await addPictures(ownApp, person, still, pictures);
  const ids = await addPictures(ownApp, person, front, ["fig", "bank", "clock", "brushes"]);
  const archive = () => fetch(`${ownApp.url}/download/projects/${projectId}.zip`, { headers: { Cookie: person.cookieHeader } });

  let moves = 0;
  const moving = (async () => {
    for (;;) {
      await before.mutation(api.designImages.move, { ids, designId: moves % 2 === 0 ? back : front });
      moves += 1;
    }
  })().catch(() => moves);
  const reader = (await archive()).body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await expect.poll(() => moves).toBeGreaterThan(4);
  await ownApp.kill();
  await moving;
  await expect(
    (async () => {
      while (!(await reader?.read())?.done);
    })(),
  ).rejects.toThrow();

  await ownApp.start();
  const convex = await deploymentAs(ownApp, person);
  const designs = await convex.query(api.designs.getDesignsByProjectId, { projectId });
  const listed = await Promise.all(designs.map(async ({ _id }) => (await imagesIn(ownApp, person, _id)).map((image) => image._id)));
  expect(designs.map(({ imageCount }) => imageCount)).toEqual(listed.map(({ length }) => length));
  expect(new Set(listed.filter(({ length }) => length > 0))).toEqual(new Set([kept, ids]));
  expect((await convex.query(api.projects.getProjectById, { id: projectId })).imageCount).toBe(kept.length + ids.length);
  const files = [...unzip(Buffer.from(await (await archive()).arrayBuffer())).values()];
  expect(files.filter((file) => file.length > 0)).toHaveLength(kept.length + ids.length);
  expect(files.filter((file) => file.equals(noise))).toHaveLength(kept.length);
  expect(await compareStored(ownApp)).toMatchObject({ rowsWithoutBytes: [], bytesWithoutRow: [] });
});

test(
  "recovers when the deployment dies, and open pages keep working",
  { tag: "@recovers-when-deployment-dies-open-pages" },
  async ({ ownApp, browser }) => {
    const person = await signUp(ownApp.url);
    const page = await openBrowser(browser, ownApp, person);
    await page.goto("/projects");
    await hydrated(page);
    const before = deploymentPidIn(ownApp.output());
    process.kill(before, "SIGKILL");
    await expect.poll(() => ownApp.output()).toContain("the deployment is running again");
    expect(deploymentPidIn(ownApp.output())).not.toBe(before);
    await expect
      .poll(async () => (await fetch(`${ownApp.url}/projects`, { headers: { Cookie: person.cookieHeader }, redirect: "manual" })).status)
      .toBe(200);
    await page.context().close();
  },
);

test("SIGTERM completes requests, stops the deployment and exits with 0", async ({ ownApp }) => {
  const person = await signUp(ownApp.url);
  const body = new URLSearchParams({ intent: "createProject", name: "In flight" }).toString();
  const socket = connect(ownApp.port, "127.0.0.1");
  await once(socket, "connect");
  const lines = [
    "POST /projects HTTP/1.1",
    `Host: localhost:${ownApp.port}`,
    `Origin: ${ownApp.url}`,
    `Cookie: ${person.cookieHeader}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const [invited] = await once(socket, "data");
  expect(String(invited)).toContain("100 Continue");
  socket.write(body.slice(0, 10));
  // Browsers open a second, idle connection in advance. It must not delay the stop.
  const idle = connect(ownApp.port, "127.0.0.1");
  await once(idle, "connect");

  const deployment = deploymentPidIn(ownApp.output());
  const exited = ownApp.stop();
  await expect.poll(() => ownApp.output()).toContain("stopping: finishing the requests in flight");
  await expect(fetch(ownApp.url)).rejects.toThrow("fetch failed");
  socket.write(body.slice(10));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 303 /);
  expect(await exited).toBe(0);
  expect(() => process.kill(deployment, 0)).toThrow("ESRCH");
  idle.destroy();

  await ownApp.start();
  const html = await (await fetch(`${ownApp.url}/projects`, { headers: { Cookie: person.cookieHeader } })).text();
  expect(html).toContain("In flight");
});

test("a second start of the same build pushes nothing", async ({ launch }) => {
  const folder = await mkdtemp(join(tmpdir(), "atelier-new-"));
  if (APP_USER.uid !== undefined) await chown(folder, APP_USER.uid, APP_USER.gid);
  const app = await launch({ DATA_DIR: folder });
  expect(app.output()).toContain("this build's functions");
  await app.stop();
  const before = app.output().length;
  await app.start();
  expect(app.output().slice(before)).not.toContain("this build's functions");
  await app.stop();
  await rm(folder, { recursive: true });
});

test("reports a used port with the setting that changes it", async ({ app, launch }) => {
  await expect(launch({ PORT: String(app.port) })).rejects.toThrow(/EADDRINUSE[\s\S]*PORT/);
});

test("logs no secrets", { tag: "@logs-no-secrets" }, async ({ ownApp }) => {
  const person = await signUp(ownApp.url);
  await ownApp.stop();
  const secrets = Object.values(JSON.parse(await readFile(`${ownApp.dataDir}/secrets.json`, "utf8"))).filter(
    (value) => typeof value === "string",
  );
  expect(secrets.length).toBeGreaterThan(1);
  for (const secret of [...secrets, person.password, person.email]) expect(ownApp.output()).not.toContain(secret);
});

test("stopping npm stops its child processes", async () => {
  test.skip(Boolean(process.env.TEST_CONTAINER), "there is no npm in between in a container");
  test.slow();
  const settings = { DATA_DIR: await mkdtemp(join(tmpdir(), "atelier-npm-")), PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };
  const npm = spawn("npm", ["start"], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  npm.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  try {
    await expect.poll(() => output, { timeout: 240_000 }).toContain("Atelier is ready at ");
  } finally {
    npm.kill("SIGTERM");
  }
  await once(npm.stdout, "close");
  expect(output).toContain('"msg":"stopped"');
  expect(() => process.kill(deploymentPidIn(output), 0)).toThrow("ESRCH");
  await rm(settings.DATA_DIR, { recursive: true });
});

test("SIGKILL during uploads keeps confirmed pictures and shows no partial ones", async ({ ownApp, browser }) => {
  test.slow();
  const person = await signUp(ownApp.url);
  const { designId, path } = await makeDesign(ownApp, person);
  const files = await Promise.all((["fig", "bank", "clock"] as const).map(chosen));
  const confirmed = new Map<string, Buffer>();
  for (let round = 0; round < 3; round++) {
    const before = confirmed.size;
    const senders = files.map(async (file) => {
      for (;;) {
        const answer = await send(ownApp, person, designId, [file])
          .then((response) => response.json())
          .catch(() => null);
        if (!answer) return;
        for (const { imageId } of answer.results) if (imageId) confirmed.set(imageId, file.buffer);
      }
    });
    await expect.poll(() => confirmed.size, { intervals: [20], timeout: 60_000 }).toBeGreaterThan(before + 2 + round);
    await ownApp.kill();
    await Promise.all(senders);
    await ownApp.start();
  }

  const images = await imagesIn(ownApp, person, designId);
  const stored = new Set<string>(images.map(({ _id }) => _id));
  expect([...confirmed.keys()].filter((id) => !stored.has(id))).toEqual([]);
  for (const { _id, checksum, size } of images) {
    const answer = await fetch(`${ownApp.url}/images/${_id}?original=1`, { headers: { Cookie: person.cookieHeader } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, bytes.length, createHash("sha256").update(bytes).digest("hex")]).toEqual([200, size, checksum]);
    const sent = confirmed.get(_id);
    if (sent) expect(bytes.equals(sent)).toBe(true);
  }
  const page = await openBrowser(browser, ownApp, person);
  await page.goto(path);
  await expect(page.getByRole("main").getByRole("listitem").getByRole("img")).toHaveCount(images.length);
  await page.context().close();
});
