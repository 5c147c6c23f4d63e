import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN_KEY, startEngine } from "@atelier/engine/testing/harness";
import { api } from "../../convex/_generated/api.js";
import { BUILD } from "../../server/built.ts";
import { ARTIFACT, push, readArtifact, setEnvironment, type Target } from "../../server/deployment/push.ts";
import { makeSecrets } from "../../server/deployment/secrets.ts";
import { expect, hydrated, openBrowser, type Person, type RunningApp, signUp, test as base } from "../harness/test.ts";
import { embeddedTarget, movedSettings, pendingJobs, rowsOf, runMove } from "../harness/move.ts";
import { storeOf } from "../harness/store.ts";
import { addPictures, addVersion, chosen, deploymentAs, imagesIn, makeDesign, send } from "../e2e/support/pictures.ts";
import { sharedProject } from "../e2e/support/shared-project.ts";

const READ_ONLY = "Atelier is read-only while its data is moved.";

const test = base.extend<{ remote: Target }>({
  remote: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), "atelier-remote-"));
    const engine = await startEngine(dir, ADMIN_KEY, undefined, ["--hosted"]);
    await use({ url: engine.url, adminKey: ADMIN_KEY });
    await engine.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  },
});

test.describe.configure({ mode: "parallel" });

const toRemote = ({ url }: Target, ...flags: string[]) => ["--from", "embedded", "--to", url, ...flags];
const toEmbedded = ({ url }: Target, ...flags: string[]) => ["--from", url, "--to", "embedded", ...flags];

const get = (app: RunningApp, person: Person, path: string) =>
  fetch(app.url + path, { redirect: "manual", headers: { Cookie: person.cookieHeader } });

const post = (app: RunningApp, person: Person, path: string, fields: Record<string, string>) =>
  fetch(app.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: person.cookieHeader, Origin: app.url },
    body: new URLSearchParams(fields),
  });

const createProject = (app: RunningApp, person: Person, name: string) => post(app, person, "/projects", { intent: "createProject", name });

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

function readAndWriteUntilStopped(app: RunningApp, person: Person) {
  const stopping = new AbortController();
  const used = (async () => {
    const [reads, refusals]: [number[], string[]] = [[], []];
    while (!stopping.signal.aborted) {
      reads.push((await get(app, person, "/projects")).status);
      const answer = await createProject(app, person, "While the data is moved");
      if (answer.status !== 303) refusals.push(await answer.text());
      await sleep(50);
    }
    return { reads, refusals };
  })();
  return () => {
    stopping.abort();
    return used;
  };
}

type Upload = { path: string; bytes: Buffer; sent: number };

const TUS = { "Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream" };

async function beginUpload(app: RunningApp, person: Person, designId: string): Promise<Upload> {
  const { name, buffer: bytes } = await chosen("fig");
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const headers = { Cookie: person.cookieHeader, Origin: app.url, "Tus-Resumable": "1.0.0" };
  const created = await fetch(`${app.url}/uploads`, {
    method: "POST",
    headers: {
      ...headers,
      "Upload-Length": String(bytes.length),
      "Upload-Metadata": `design ${base64(designId)},filename ${base64(`unfinished ${name}`)},again ${base64("yes")}`,
    },
  });
  expect(created.status, await created.text()).toBe(201);
  const upload = { path: created.headers.get("Location") ?? "", bytes, sent: 100_000 };
  const sent = await fetch(app.url + upload.path, {
    method: "PATCH",
    headers: { ...headers, ...TUS, "Upload-Offset": "0" },
    body: new Uint8Array(bytes.subarray(0, upload.sent)),
  });
  expect(sent.status).toBe(204);
  return upload;
}

async function finishUpload(app: RunningApp, person: Person, { path, bytes, sent }: Upload): Promise<void> {
  const headers = { Cookie: person.cookieHeader, Origin: app.url, "Tus-Resumable": "1.0.0" };
  const rest = await fetch(app.url + path, {
    method: "PATCH",
    headers: { ...headers, ...TUS, "Upload-Offset": String(sent) },
    body: new Uint8Array(bytes.subarray(sent)),
  });
  expect(rest.status, await rest.text()).toBe(204);
  const finished = await fetch(`${app.url}${path}/finish`, { method: "POST", headers });
  expect(await finished.json()).toMatchObject({ ok: true });
}

test("moves all data to a remote deployment and back", { tag: "@move-round-trip" }, async ({ ownApp, remote, launch }) => {
  test.slow();
  const settings = { CONVEX_DEPLOY_KEY: remote.adminKey };
  const [ada, bob, eve] = [await signUp(ownApp.url), await signUp(ownApp.url), await signUp(ownApp.url)];
  const store = await storeOf(ownApp);
  await store.create("twoFactors", { id: eve.id, userId: eve.id, secret: "x", backupCodes: "x", verified: true });
  await store.change("users", { id: eve.id }, { twoFactorEnabled: true });
  await store.setAdministrator(ada.id, true);
  const shared = await sharedProject(ownApp, ada, bob, "editor");
  await addVersion(ownApp, ada, shared.designId, shared.imageId, "mountain");
  await addPictures(ownApp, bob, shared.designId, ["mountain"]);
  const threadId = await shared.convex.mutation(api.comments.startThread, { itemId: shared.imageId, text: "Lighter, please", key: "move" });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const link = { intent: "createLink", form: "create-link", name: "A link", item: shared.projectId, secret: "", expiresOn: tomorrow };
  expect((await post(ownApp, ada, `/projects/${shared.projectId}/sharing`, link)).status).toBe(200);
  const upload = await beginUpload(ownApp, ada, shared.designId);

  const source = await embeddedTarget(ownApp);
  const doomed = await makeDesign(ownApp, eve);
  const eves = await deploymentAs(ownApp, eve);
  for (let each = 0; each < 60; each += 1) await eves.mutation(api.designs.create, { projectId: doomed.projectId, name: `Design ${each}` });

  const planned = await runMove({ app: ownApp, args: toRemote(remote, "--dry-run"), settings });
  expect(planned, planned.output).toMatchObject({ code: 0 });
  expect(planned.output).toContain("  users: 3 documents\n");
  expect(planned.output).toContain("  stored files: 3 (");
  expect(planned.output).toMatch(/read-only for about \d+ s/);
  expect(await rowsOf(remote, "_storage")).toEqual([]);
  expect((await createProject(ownApp, eve, "After the dry run")).status).toBe(303);

  await eves.mutation(api.projects.moveToTrash, { id: doomed.projectId });
  await eves.mutation(api.trash.purge, { id: doomed.projectId });
  const expiry = (await pendingJobs(source)).find(({ name }) => name.includes("links"));
  expect(expiry).toBeDefined();
  const stop = readAndWriteUntilStopped(ownApp, bob);
  const moved = await runMove({ app: ownApp, args: toRemote(remote), settings });
  expect(moved, moved.output).toMatchObject({ code: 0 });
  expect(moved.output).toContain("All data is moved. The app was read-only for ");
  for (const secret of [remote.adminKey, (await movedSettings(ownApp))["BETTER_AUTH_SECRET"] ?? ""])
    expect(moved.output).not.toContain(secret);
  const { reads, refusals } = await stop();
  expect(new Set(reads)).toEqual(new Set([200]));
  expect(refusals.length).toBeGreaterThan(0);
  for (const refusal of refusals) expect(refusal).toContain(READ_ONLY);
  const again = await runMove({ app: ownApp, args: toRemote(remote), settings });
  expect(again.output).toContain("All data was already moved.");

  const before = await imagesIn(ownApp, bob, shared.designId);
  const bytesOf = async (app: RunningApp, id: string): Promise<string> => {
    const answer = await get(app, bob, `/images/${id}?original=1`);
    expect(answer.status).toBe(200);
    return sha256(new Uint8Array(await answer.arrayBuffer()));
  };
  const sums = await Promise.all(before.map(({ _id }) => bytesOf(ownApp, _id)));
  await ownApp.stop();

  const onRemote = await launch({ ...(await movedSettings(ownApp)), DATA_DIR: ownApp.dataDir });
  onRemote.deployment.url = remote.url;
  for (const person of [ada, bob, eve]) expect((await get(onRemote, person, "/projects")).status).toBe(200);
  expect(await imagesIn(onRemote, bob, shared.designId)).toEqual(before);
  expect(await Promise.all(before.map(({ _id }) => bytesOf(onRemote, _id)))).toEqual(sums);
  expect((await pendingJobs(remote)).filter(({ name }) => name.includes("links"))).toEqual([expiry]);
  expect(await rowsOf(remote, "pausedJobs")).toEqual([]);
  await expect
    .poll(() => rowsOf(remote, "auditEvents").then((rows) => rows.filter(({ action }) => action === "data.moved").length))
    .toBe(1);
  await expect
    .poll(() => rowsOf(remote, "designs").then((rows) => rows.filter(({ projectId }) => projectId === doomed.projectId)))
    .toEqual([]);
  await finishUpload(onRemote, ada, upload);
  expect((await createProject(onRemote, bob, "Created on the remote deployment")).status).toBe(303);
  const asAda = await deploymentAs(onRemote, ada);
  await asAda.mutation(api.comments.reply, { threadId, text: "Done", key: "move back" });
  const after = await imagesIn(onRemote, bob, shared.designId);
  expect(after).toHaveLength(before.length + 1);

  const back = { ...settings, ...(await movedSettings(ownApp)) };
  const refused = await runMove({ app: ownApp, args: toEmbedded(remote), settings: back });
  expect(refused.code).toBe(1);
  for (const table of ["users", "designImages", "stored files"])
    expect(refused.output).toMatch(new RegExp(`is not empty. .*\\b${table}\\b`));
  expect(refused.output).toContain(`move ${join(ownApp.dataDir, "convex")} to another folder`);
  await rename(join(ownApp.dataDir, "convex"), join(ownApp.dataDir, "former"));
  const returned = await runMove({ app: ownApp, args: toEmbedded(remote), settings: back });
  expect(returned, returned.output).toMatchObject({ code: 0 });
  expect((await createProject(onRemote, bob, "Too late")).status).toBe(422);
  await onRemote.stop();
  await ownApp.start();
  for (const person of [ada, bob, eve]) expect((await get(ownApp, person, "/projects")).status).toBe(200);
  expect(await (await get(ownApp, bob, "/projects")).text()).toContain("Created on the remote deployment");
  expect(await imagesIn(ownApp, bob, shared.designId)).toEqual(after);
  expect(await Promise.all(before.map(({ _id }) => bytesOf(ownApp, _id)))).toEqual(sums);
  expect((await createProject(ownApp, bob, "Writable again")).status).toBe(303);
  expect((await pendingJobs(source)).filter(({ name }) => name.includes("links"))).toEqual([expiry]);
});

test("continues a move that was killed at any step", { tag: "@move-killed" }, async ({ ownApp, remote, launch }) => {
  test.slow();
  const settings = { CONVEX_DEPLOY_KEY: remote.adminKey };
  const ada = await signUp(ownApp.url);
  const { designId } = await makeDesign(ownApp, ada);
  await addPictures(ownApp, ada, designId, ["fig", "mountain"]);
  for (const killAt of ["Copying files", "files copied", "read-only now", "Compared"]) {
    const killed = await runMove({ app: ownApp, args: toRemote(remote), settings, killAt });
    if (killAt !== "files copied") expect([killed.code, killed.output]).toEqual([null, expect.stringContaining(killAt)]);
    expect((await get(ownApp, ada, "/projects")).status).toBe(200);
  }
  const moved = await runMove({ app: ownApp, args: toRemote(remote), settings });
  expect(moved, moved.output).toMatchObject({ code: 0 });
  const before = await imagesIn(ownApp, ada, designId);
  await ownApp.stop();
  const onRemote = await launch({ ...(await movedSettings(ownApp)), DATA_DIR: ownApp.dataDir });
  onRemote.deployment.url = remote.url;
  expect(await imagesIn(onRemote, ada, designId)).toEqual(before);
  expect((await createProject(onRemote, ada, "On the remote deployment")).status).toBe(303);
});

test("cancels a move that was killed while the app was read-only", { tag: "@move-cancelled" }, async ({ ownApp, remote }) => {
  test.slow();
  const settings = { CONVEX_DEPLOY_KEY: remote.adminKey };
  const ada = await signUp(ownApp.url);
  const { designId } = await makeDesign(ownApp, ada);
  await addPictures(ownApp, ada, designId, ["fig"]);
  await runMove({ app: ownApp, args: toRemote(remote), settings, killAt: "read-only now" });
  expect(await (await createProject(ownApp, ada, "Too late")).text()).toContain(READ_ONLY);
  const cancelled = await runMove({ app: ownApp, args: toRemote(remote, "--cancel"), settings });
  expect(cancelled, cancelled.output).toMatchObject({ code: 0 });
  expect((await createProject(ownApp, ada, "After the cancellation")).status).toBe(303);
  const refused = await runMove({ app: ownApp, args: toRemote(remote), settings });
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("is not empty")]);
  expect((await createProject(ownApp, ada, "After the refusal")).status).toBe(303);
});

test("answers reads and refuses changes while the data is moved", { tag: "@read-only-app" }, async ({ ownApp, browser }) => {
  const [ada, bob] = [await signUp(ownApp.url), await signUp(ownApp.url)];
  const { designId, path } = await makeDesign(ownApp, ada);
  const [imageId = ""] = await addPictures(ownApp, ada, designId, ["fig"]);
  const store = await storeOf(ownApp);
  const day = 86_400_000;
  await store.change("sessions", { userId: ada.id }, { updatedAt: Date.now() - 2 * day, expiresAt: Date.now() + 5 * day });
  await store.change("sessions", { userId: bob.id }, { expiresAt: Date.now() - day });
  const withoutToken = (person: Person): Person => ({ ...person, cookieHeader: person.cookieHeader.replace(/[^ ]*convex[^ ]*/gi, "") });
  await setEnvironment(await embeddedTarget(ownApp), { READ_ONLY: "source of a test" });

  for (const address of ["/projects", path, `/images/${imageId}?original=1`]) expect((await get(ownApp, ada, address)).status).toBe(200);
  expect((await get(ownApp, withoutToken(ada), "/projects")).status).toBe(200);
  expect((await get(ownApp, withoutToken(bob), "/projects")).status).toBe(302);
  const form = await createProject(ownApp, ada, "Too late");
  expect([form.status, await form.text()]).toEqual([422, expect.stringContaining(READ_ONLY)]);
  const upload = await send(ownApp, ada, designId, [await chosen("mountain")]);
  expect(JSON.stringify(await upload.json())).toContain(READ_ONLY);
  const json = { "Content-Type": "application/json", Origin: ownApp.url, Cookie: ada.cookieHeader };
  const credentials = JSON.stringify({ email: ada.email, password: ada.password });
  const signIn = await fetch(`${ownApp.url}/api/auth/sign-in/email`, { method: "POST", headers: json, body: credentials });
  expect([signIn.status, await signIn.json()]).toEqual([503, { code: "READ_ONLY", message: expect.stringContaining(READ_ONLY) }]);
  const change = { intent: "rename", form: "profile", name: "Another name" };
  expect((await post(ownApp, ada, "/account", change)).status).toBeGreaterThanOrEqual(400);

  const page = await openBrowser(browser, ownApp, ada);
  await page.goto("/projects");
  await hydrated(page);
  await page.getByRole("button", { name: "New project" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("Too late");
  await page.getByRole("dialog").getByRole("button", { name: "Create project" }).click();
  await expect(page.getByText(READ_ONLY)).toBeVisible();
  await page.context().close();
});

test("refuses wrong keys, other versions and wrong arguments", { tag: "@move-refusals" }, async ({ ownApp, remote }) => {
  test.slow();
  const run = (args: string[], settings: Record<string, string> = {}) => runMove({ app: ownApp, args, settings });
  const wrong = { CONVEX_DEPLOY_KEY: `test|${randomBytes(32).toString("hex")}` };
  const cases: [string, string[], Record<string, string>][] = [
    ["CONVEX_DEPLOY_KEY is missing", toRemote(remote), {}],
    ["The provided admin key was invalid", toRemote(remote), wrong],
    ["does not respond", ["--from", "embedded", "--to", "http://127.0.0.1:1"], wrong],
    ['One of --from and --to must be "embedded"', ["--from", remote.url, "--to", "http://127.0.0.1:1"], wrong],
    ['Expected "embedded" or an origin', ["--from", "embedded", "--to", "remote"], wrong],
    ["BETTER_AUTH_SECRET and TOKEN_SIGNING_KEY of the app servers are needed", toEmbedded(remote), wrong],
    ["There is no unfinished move to cancel", toRemote(remote, "--cancel"), { CONVEX_DEPLOY_KEY: remote.adminKey }],
  ];
  for (const [message, args, settings] of cases) {
    const { code, output } = await run(args, settings);
    expect(output).toContain(message);
    expect(code).toBe(1);
    for (const secret of Object.values(settings)) expect(output).not.toContain(secret);
  }

  const { secret, signingKey } = await makeSecrets();
  const keys = { CONVEX_DEPLOY_KEY: remote.adminKey, BETTER_AUTH_SECRET: secret, TOKEN_SIGNING_KEY: JSON.stringify(signingKey) };
  const otherVersion = "has the functions of another version";
  expect((await run(toEmbedded(remote), keys)).output).toContain(`${remote.url} ${otherVersion}. Run 'npm run setup:convex'`);
  const artifact = readArtifact(await readFile(join(BUILD, ARTIFACT), "utf8"));
  const changedModules = artifact.appDefinition.changedModules.map((each, index) =>
    index === 0 ? { ...each, source: `${each.source}\n` } : each,
  );
  await push(await embeddedTarget(ownApp), { ...artifact, appDefinition: { ...artifact.appDefinition, changedModules } });
  const refused = await run(toRemote(remote), { CONVEX_DEPLOY_KEY: remote.adminKey });
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(`${otherVersion}. Start this version of the app once`)]);
});
