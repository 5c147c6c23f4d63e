import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { BUILD } from "../../server/built.ts";
import { ARTIFACT, push, queryEnvironment, readArtifact, setEnvironment } from "../../server/deployment/push.ts";
import { makeSecrets } from "../../server/deployment/secrets.ts";
import { printedSettings, type Standalone, startStandalone } from "../harness/setup-convex.ts";
import { expect, hydrated, openBrowser, type Person, type RunningApp, signUp, test as base } from "../harness/test.ts";

const test = base.extend<{ standalone: Standalone }>({
  standalone: async ({}, use) => {
    const standalone = await startStandalone();
    await use(standalone);
    await standalone.close();
  },
});

const readyz = async (app: RunningApp) => (await fetch(`${app.url}/readyz`)).json();

function keepRequesting(app: RunningApp, person: Person) {
  let isStopped = false;
  const requests = (async () => {
    const statuses: number[] = [];
    for await (const _ of setInterval(100)) {
      statuses.push((await fetch(`${app.url}/projects`, { redirect: "manual", headers: { Cookie: person.cookieHeader } })).status);
      if (isStopped) break;
    }
    return statuses;
  })();
  return () => {
    isStopped = true;
    return requests;
  };
}

test("setup:convex run again, and a key rotation, fail no request and reload no page", async ({ standalone, launch, browser }) => {
  test.slow();
  const { target, setUp, writeEnv } = standalone;
  const deployment = { CONVEX_URL: target.url, CONVEX_DEPLOY_KEY: target.adminKey };
  await writeEnv(deployment);
  const settings = printedSettings(await setUp());
  expect(Object.keys(settings).toSorted()).toEqual(["BETTER_AUTH_SECRET", "CONVEX_URL", "TOKEN_SIGNING_KEY"]);
  const first = await queryEnvironment(target);
  expect(Object.keys(first)).toEqual(["AUTH_JWKS"]);

  const app = await launch(settings);
  const person = await signUp(app.url);
  const page = await openBrowser(browser, app, person);
  await page.goto("/projects");
  await hydrated(page);
  let loads = 0;
  page.on("load", () => loads++);
  const staysLive = async (name: string) => {
    const made = await fetch(`${app.url}/projects`, {
      method: "POST",
      redirect: "manual",
      headers: { Cookie: person.cookieHeader, Origin: app.url, "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ intent: "createProject", name }),
    });
    expect(made.status).toBe(303);
    await expect(page.getByRole("main").getByText(name)).toBeVisible();
    expect(loads).toBe(0);
  };
  const stop = keepRequesting(app, person);

  await writeEnv({ ...deployment, ...settings });
  expect(printedSettings(await setUp())).toEqual({});
  expect(await queryEnvironment(target)).toEqual(first);
  await staysLive("After the second run");

  const rotated = printedSettings(await setUp(["--rotate-keys"]));
  expect(Object.keys(rotated).toSorted()).toEqual(["CONVEX_URL", "TOKEN_SIGNING_KEY"]);
  expect(await readyz(app)).toMatchObject({ tokens: "ok" });
  const newServer = await launch({ ...settings, ...rotated });
  expect(await readyz(newServer)).toMatchObject({ tokens: "ok" });
  const withOldCookies = await fetch(`${newServer.url}/projects`, { redirect: "manual", headers: { Cookie: person.cookieHeader } });
  expect(withOldCookies.status).toBe(200);
  await staysLive("After the rotation");
  const statuses = await stop();
  expect(new Set(statuses)).toEqual(new Set([200]));

  await writeEnv({ ...deployment, ...settings, ...rotated });
  await expect(setUp(["--remove-old-keys"])).rejects.toThrow("Tokens signed with the old key can be valid until");
  await setEnvironment(target, { AUTH_JWKS_ROTATED_AT: new Date(Date.now() - 15 * 60_000).toISOString() });
  await setUp(["--remove-old-keys"]);
  expect(await readyz(newServer)).toMatchObject({ tokens: "ok" });
  const refused = await fetch(`${app.url}/readyz`);
  expect([refused.status, await refused.json()]).toMatchObject([503, { deployment: "ok", tokens: "are not accepted" }]);

  expect(await standalone.commandLines()).toContain("convex/bin/main.js deploy");
  expect(await standalone.commandLines()).not.toContain(target.adminKey);
  await page.context().close();
});

test("setup:convex changes nothing when a setting of the first run is missing", async ({ standalone }) => {
  const { target, setUp } = standalone;
  const { secret, signingKey } = await makeSecrets();
  const { kty, crv, x, y, kid } = signingKey;
  const keySet = encodeURIComponent(JSON.stringify({ keys: [{ kty, crv, x, y, kid }] }));
  await setEnvironment(target, { AUTH_JWKS: `data:application/json,${keySet}` });
  const before = await queryEnvironment(target);
  const settings = { CONVEX_URL: target.url, CONVEX_DEPLOY_KEY: target.adminKey, BETTER_AUTH_SECRET: secret };
  const foreign = JSON.stringify((await makeSecrets()).signingKey);
  await expect(setUp([], settings)).rejects.toThrow("TOKEN_SIGNING_KEY is missing");
  await expect(setUp([], { ...settings, TOKEN_SIGNING_KEY: foreign })).rejects.toThrow("TOKEN_SIGNING_KEY is a different key");
  const withoutSecret = { ...settings, TOKEN_SIGNING_KEY: JSON.stringify(signingKey), BETTER_AUTH_SECRET: undefined };
  await expect(setUp([], withoutSecret)).rejects.toThrow("BETTER_AUTH_SECRET is missing");
  await expect(setUp(["--rotate-key"], settings)).rejects.toThrow("Unknown option '--rotate-key'");
  expect(await queryEnvironment(target)).toEqual(before);
  expect(await standalone.commandLines()).not.toContain("convex/bin/main.js deploy");
});

test("setup:convex shows new indexes in a dry run, and changes nothing", async ({ standalone }) => {
  const { target, setUp } = standalone;
  const settings = { CONVEX_URL: target.url, CONVEX_DEPLOY_KEY: target.adminKey };
  await expect(setUp(["--dry-run"], settings)).rejects.toThrow("has no functions of this app yet");
  expect(await queryEnvironment(target)).toEqual({});
  const printed = printedSettings(await setUp([], settings));
  const unchanged = "The push changes no index";
  expect(await setUp(["--dry-run"], { ...settings, ...printed })).toContain(unchanged);

  const text = await readFile(join(BUILD, ARTIFACT), "utf8");
  const earlier = text.replace(/\.index\(\\"by_size\\", \[[^\]]*\]\)/, "");
  expect(earlier).not.toBe(text);
  await push(target, readArtifact(earlier));
  for (let each = 0; each < 2; each++)
    expect(await setUp(["--dry-run"], { ...settings, ...printed })).toMatch(/\+ designImages\.by_size \(.*\) is built from 0 documents/);
  await setUp([], { ...settings, ...printed });
  expect(await setUp(["--dry-run"], { ...settings, ...printed })).toContain(unchanged);
});

test("setup:convex explains the CLI's stop at a large index and proceeds with the flag", async ({ standalone }) => {
  const { target, setUp } = standalone;
  const settings = {
    CONVEX_URL: target.url,
    CONVEX_DEPLOY_KEY: target.adminKey,
    CONVEX_MIN_DOCUMENTS_FOR_INDEX_BACKFILL_WARNING: "0",
  };
  const failure: unknown = await setUp([], settings).catch((error: unknown) => error);
  expect(String(failure)).toContain("-- --skip-large-indexes-check");
  const printed = printedSettings(String(Reflect.get(Object(failure), "stdout")));
  expect(await setUp(["--skip-large-indexes-check"], { ...settings, ...printed })).toContain("is ready");
});
