import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { APP_USER } from "../harness/app.ts";
import { expect, openBrowser, type Person, type RunningApp, signIn, signUp, test } from "../harness/test.ts";
import { addPictures, makeDesign } from "../e2e/support/pictures.ts";

const CONNECTIONS = new URL("../harness/preloads/log-connections.ts", import.meta.url).href;
const script = (path: string) => fileURLToPath(new URL(`../../server/${path}.ts`, import.meta.url));

const get = (app: RunningApp, path: string, person?: Person, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { redirect: "manual", headers: { ...headers, ...(person && { Cookie: person.cookieHeader }) } });

/** Queries that the server watches from about a second after the start: emails to send, deleted files and revocations. */
const WATCHED_BY_SERVER = 3;

test("renders the sign-in page before the app is ready", async ({ launch }) => {
  const token = randomUUID();
  const app = await launch({ METRICS_TOKEN: token });
  await (await get(app, "/sign-in")).text();
  const metrics = await (await get(app, "/metrics", undefined, { Authorization: `Bearer ${token}` })).text();
  expect(metrics).toMatch(/^atelier_pages_total\{markup="kept"\} 1$/m);
});

test(
  "health, log and metrics name each request and contain no personal data",
  { tag: "@health-log-metrics-name-each-request" },
  async ({ launch, browser }) => {
    const token = randomUUID();
    const app = await launch({ METRICS_TOKEN: token, LOG_LEVEL: "debug", NODE_OPTIONS: `--import=${CONNECTIONS}` });
    expect(await (await get(app, "/readyz")).json()).toEqual({ deployment: "ok", tokens: "ok", disk: "ok", server: "ok" });

    const name = `Zaphod ${randomUUID()}`;
    const person = await signUp(app.url, name);
    const { designId, path } = await makeDesign(app, person, `Design ${name}`);
    const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
    const metrics = async () => (await get(app, "/metrics", undefined, { Authorization: `Bearer ${token}` })).text();
    const watched = async () => Number(/^convex_watched_queries (\d+)$/m.exec(await metrics())?.[1]);
    const page = await openBrowser(browser, app, person);
    await page.goto(path);
    await expect(page.getByRole("main").getByRole("img").first()).toBeVisible();
    await expect.poll(watched).toBeGreaterThan(WATCHED_BY_SERVER);
    await expect.poll(metrics).toMatch(/^atelier_websockets 1$/m);
    await page.close();
    await expect.poll(watched).toBeLessThanOrEqual(WATCHED_BY_SERVER);
    expect((await get(app, `/images/${imageId}?w=160`, person)).status).toBe(200);
    expect((await get(app, `/images/${imageId}?w=160`, person)).status).toBe(200);
    const secret = `token-${randomUUID()}`;
    await get(app, `/reset-password?token=${secret}`);
    await get(app, `/api/auth/reset-password/${secret}?callbackURL=/reset-password`);
    for (const own of ["", "%zz", "%ff", "%0d%0a", "%e2%80%a8"]) {
      const answer = await get(app, `/s/${secret}${own}`);
      expect([own, answer.status, (await answer.text()).includes("Page not found")]).toEqual([own, 404, true]);
    }
    const wrong = `wrong ${randomUUID()}`;
    for (const email of [person.email, `nobody-${secret}@example.com`])
      await fetch(`${app.url}/sign-in`, {
        method: "POST",
        headers: { Origin: app.url, "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ email, password: wrong }),
      });
    expect((await get(app, "/api/auth/reset-password/x?callbackURL=%0d%0a/x")).status).toBe(403);
    const answer = await get(app, "/projects", person, { "X-Request-ID": "find-me-again" });
    expect(answer.headers.get("Server-Timing")).toMatch(/^total;dur=\d+, .*\bdeployment;dur=\d+;desc="\d+"/);
    expect((await get(app, "/api/auth/get-session", person)).headers.has("Server-Timing")).toBe(false);

    await expect.poll(() => app.output()).toContain("find-me-again");
    const lines = app.output().split("\n");
    const entries = lines.filter((line) => line.startsWith("{")).map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.filter((line) => line !== "" && !line.startsWith("{"))).toEqual([expect.stringContaining("Atelier is ready at")]);
    expect(entries).toContainEqual(expect.objectContaining({ requestId: "find-me-again", route: "/projects", method: "GET", status: 200 }));
    expect(entries).toContainEqual(expect.objectContaining({ route: "/images/:id", status: 200 }));
    const { secret: key, engineAdminKey, signingKey } = JSON.parse(await readFile(join(app.dataDir, "secrets.json"), "utf8"));
    const cookies = person.cookies.map(({ value }) => value).filter((value) => value !== "password");
    for (const own of [
      name,
      person.email,
      person.password,
      person.id,
      secret,
      wrong,
      key,
      engineAdminKey,
      signingKey.d,
      designId,
      imageId,
      ...cookies,
    ])
      expect(app.output()).not.toContain(own);
    expect(app.output()).not.toMatch(/eyJ[\w-]{10}/);
    expect(app.output()).not.toMatch(/\breached \S/);

    expect((await get(app, "/metrics")).status).toBe(404);
    const text = await metrics();
    const value = (start: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${start} `))
          ?.slice(start.length + 1),
      );
    expect(value('atelier_request_seconds_count{method="GET",route="/projects",status="200"}')).toBe(1);
    expect(value('atelier_route_handler_seconds_count{kind="loader",route="routes/projects",outcome="success"}')).toBe(1);
    expect(value('atelier_deployment_call_seconds_count{kind="mutation",function="uploads:finalize",outcome="ok"}')).toBe(1);
    expect(value('atelier_uploads_total{outcome="kept"}')).toBe(1);
    expect(value('atelier_variants_total{outcome="made"}')).toBeGreaterThan(0);
    expect(value('atelier_variants_total{outcome="found"}')).toBeGreaterThan(0);
    expect(value("atelier_variant_cache_bytes")).toBeGreaterThan(1000);
    expect(value('convex_function_runs_total{type="mutation",function="uploads:finalize",outcome="ok"}')).toBe(1);
    expect(text).not.toContain(designId);
  },
);

test("exits with 1 and a readable reason when the data cannot be opened", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "atelier-broken-"));
  try {
    await mkdir(join(dataDir, "convex"));
    await writeFile(join(dataDir, "convex", "deployment.sqlite3"), "This is no database. ".repeat(1000));
    if (APP_USER.uid !== undefined)
      for (const path of await readdir(dataDir, { recursive: true })) await chown(join(dataDir, path), APP_USER.uid, APP_USER.gid);
    if (APP_USER.uid !== undefined) await chown(dataDir, APP_USER.uid, APP_USER.gid);
    const ports = { PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, MAKE_NEW_KEYS: "true", ...ports };
    const started = await promisify(execFile)(process.execPath, [script("main")], { env, ...APP_USER }).catch((error: unknown) => error);
    expect(started).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The embedded deployment did not start \(exit code 1\)\.\n.*is not a SQLite file/),
    });
    expect(started).toMatchObject({ stderr: expect.not.stringMatching(/^ {4}at /m) });
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test("a stop under load aborts no request", async ({ launch }) => {
  const app = await launch({});
  const person = await signUp(app.url);
  let answered = 0;
  const failed: string[] = [];
  const sendRequest = async () => {
    for (;;) {
      try {
        const answer = await get(app, "/projects", person);
        const text = await answer.text();
        if (answer.status !== 200 || !text.includes("</html>")) failed.push(`${answer.status} ${text.length}`);
        answered++;
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        if (cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED") return;
        failed.push(String(cause));
        return;
      }
    }
  };
  const load = Promise.all(Array.from({ length: 8 }, sendRequest));
  await expect.poll(() => answered).toBeGreaterThan(30);
  expect(await app.stop()).toBe(0);
  await load;
  expect(failed).toEqual([]);
});

test("an online backup restores users, sessions, data and pictures", async ({ launch }) => {
  const app = await launch({});
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person, "Worth keeping");
  const [imageId = ""] = await addPictures(app, person, designId, ["bank"]);
  const original = Buffer.from(await (await get(app, `/images/${imageId}?original=1`, person)).arrayBuffer());

  const dir = await mkdtemp(join(tmpdir(), "atelier-backup-"));
  if (APP_USER.uid !== undefined) await chown(dir, APP_USER.uid, APP_USER.gid);
  const env = { PATH: process.env.PATH, DATA_DIR: app.dataDir };
  const run = (name: string, folder: string) =>
    promisify(execFile)(process.execPath, [script(`commands/${name}`), folder], { env, ...APP_USER });
  try {
    const { stdout } = await run("backup", join(dir, "copy"));
    expect(stdout).toContain("It contains the keys");
    await expect(run("backup", join(dir, "copy"))).rejects.toThrow(/copy already exists. A backup never overwrites files/);
    const late = await signUp(app.url);

    await expect(run("restore", join(dir, "copy"))).rejects.toThrow("already contains data");
    await app.stop();
    await rename(app.dataDir, join(dir, "lost"));
    await expect(run("restore", join(dir, "lost", "uploads"))).rejects.toThrow("is not a complete backup");
    await run("restore", join(dir, "copy"));
    await app.start();

    expect((await get(app, path, person)).status).toBe(200);
    expect(await (await get(app, "/projects", await signIn(app.url, person))).text()).toContain("Magazine");
    expect(Buffer.from(await (await get(app, `/images/${imageId}?original=1`, person)).arrayBuffer()).equals(original)).toBe(true);
    expect((await get(app, "/projects", late)).status).toBe(302);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
