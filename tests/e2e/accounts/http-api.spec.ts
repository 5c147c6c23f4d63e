import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { Validator } from "@seriousme/openapi-schema-validator";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type RunningApp, test } from "../../harness/test.ts";
import { addPictures, addVersion, chosen, deploymentAs, makeDesign } from "../support/pictures.ts";
import type { ChosenFile } from "../../fixtures/pictures.ts";
import { api } from "../../../convex/_generated/api.js";

async function createToken(page: Page, { name, scopes }: { name: string; scopes: string[] }): Promise<string> {
  await page.getByLabel("Name").fill(name);
  for (const scope of ["Read", "Upload", "Comment"]) await page.getByRole("checkbox", { name: scope }).setChecked(scopes.includes(scope));
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: name })).toBeVisible();
  return page.getByLabel("The new token").inputValue();
}

const get = (
  app: RunningApp,
  path: string,
  token?: string,
  init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {},
) =>
  fetch(`${app.url}/api/v1${path}`, {
    ...init,
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...init.headers },
  });

async function upload(app: RunningApp, designId: string, token: string, files: ChosenFile[], headers: Record<string, string> = {}) {
  const body = new FormData();
  for (const { name, buffer } of files) body.append("files", new File([new Uint8Array(buffer)], name));
  return get(app, `/designs/${designId}/images`, token, { method: "POST", body, headers });
}

withAndWithoutJavaScript((javaScript) => {
  test("a token is created, shown once, used and revoked", { tag: "@access-token-page" }, async ({ page, person, app }) => {
    await page.goto("/account");
    await page.getByRole("navigation", { name: "Account" }).getByRole("link", { name: "Access tokens" }).click();
    await expect(page.getByRole("heading", { name: "Access tokens" })).toBeVisible();
    if (javaScript) await hydrated(page);
    await page.getByLabel("Name").fill("Nothing");
    await page.getByRole("checkbox", { name: "Read" }).setChecked(false);
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByText("Choose at least one permission.")).toBeVisible();
    const token = await createToken(page, { name: "Backup script", scopes: ["Read"] });
    expect(token).toMatch(/^atl_[A-Za-z0-9]{40}$/);
    await expectAccessible(page);
    const row = page.getByRole("listitem").filter({ hasText: "Backup script" });
    await expect(row).toContainText("Never used");

    const { projectId } = await makeDesign(app, person);
    const answer = await get(app, "/projects", token);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ items: [{ id: projectId, role: "owner", designCount: 1 }], nextCursor: null });
    if (javaScript) await expect(row).toContainText("Last used");

    await page.goto("/account/tokens");
    await expect(page.getByLabel("The new token")).toHaveCount(0);
    if (javaScript) await hydrated(page);
    await page.getByRole("button", { name: "Revoke Backup script" }).click();
    await expect(row).toHaveCount(0);
    expect((await get(app, "/projects", token)).status).toBe(401);
  });
});

test("programs read, upload and download within a token's permissions", { tag: "@http-api" }, async ({ page, person, stranger, app }) => {
  await page.goto("/account/tokens");
  await hydrated(page);
  const reader = await createToken(page, { name: "Reader", scopes: ["Read"] });
  await page.goto("/account/tokens");
  await hydrated(page);
  const uploader = await createToken(page, { name: "Uploader", scopes: ["Upload"] });
  const { designId, projectId } = await makeDesign(app, person);
  const fig = await chosen("fig");

  const refused = await upload(app, designId, reader, [fig]);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({
    error: { code: "insufficient_scope", message: 'This endpoint requires a token with the permission "write".' },
  });
  expect((await get(app, "/projects", uploader)).status).toBe(403);

  const key = { "Idempotency-Key": "nightly-2026-11-26" };
  const stored = await upload(app, designId, uploader, [fig, await chosen("dogs")], key);
  expect(stored.status).toBe(201);
  const { results } = await stored.json();
  expect(results).toMatchObject([
    { name: "fig.jpg", ok: true },
    { name: "dogs.jpg", ok: true },
  ]);
  expect(await (await upload(app, designId, uploader, [fig, await chosen("dogs")], key)).json()).toEqual({ results });

  const listed = await (await get(app, `/designs/${designId}/images?limit=1`, reader)).json();
  expect(listed.items).toMatchObject([{ id: results[0].imageId, name: "fig.jpg", contentType: "image/jpeg", designId }]);
  const rest = await (await get(app, `/designs/${designId}/images?limit=1&cursor=${encodeURIComponent(listed.nextCursor)}`, reader)).json();
  expect(rest.items).toMatchObject([{ name: "dogs.jpg" }]);

  const original = await fetch(listed.items[0].fileUrl, { headers: { Authorization: `Bearer ${reader}` } });
  expect(original.headers.get("Content-Type")).toBe("image/jpeg");
  expect((await original.arrayBuffer()).byteLength).toBe(listed.items[0].size);
  const small = await get(app, `/images/${results[0].imageId}/file?width=320`, reader);
  expect(small.headers.get("Content-Type")).toBe("image/webp");

  const { imageId } = results[0];
  const only = await (await get(app, `/images/${imageId}/versions`, reader)).json();
  expect(only.items).toMatchObject([{ id: null, number: 1, isCurrent: true, checksum: listed.items[0].checksum }]);
  await addVersion(app, person, designId, imageId, "dogs");
  const { items: versions } = await (await get(app, `/images/${imageId}/versions`, reader)).json();
  expect(versions).toMatchObject([
    { number: 2, isCurrent: true, name: "dogs.jpg" },
    { number: 1, isCurrent: false, name: "fig.jpg", checksum: listed.items[0].checksum },
  ]);
  const earlier = await fetch(versions[1].fileUrl, { headers: { Authorization: `Bearer ${reader}` } });
  expect((await earlier.arrayBuffer()).byteLength).toBe(listed.items[0].size);
  expect((await get(app, `/images/${imageId}/versions`, uploader)).status).toBe(403);

  expect(await (await get(app, `/projects/${projectId}`, reader)).json()).toMatchObject({ id: projectId, imageCount: 2 });
  expect(await (await get(app, `/projects/${projectId}/designs`, reader)).json()).toMatchObject({
    items: [{ id: designId, imageCount: 2 }],
  });

  const others = await (await deploymentAs(app, stranger)).mutation(api.projects.create, { name: "Private" });
  for (const path of [`/projects/${others}`, "/projects/nonsense", `/designs/${others}/images`, "/images/x/file"]) {
    const answer = await get(app, path, reader);
    expect(answer.status, path).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "not_found" } });
  }
});

test("programs read and write comments", { tag: "@http-api-comments" }, async ({ page, person, app }) => {
  await page.goto("/account/tokens");
  await hydrated(page);
  const token = await createToken(page, { name: "Reviewer", scopes: ["Read", "Comment"] });
  const { designId } = await makeDesign(app, person);
  const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
  const post = (path: string, body: unknown, headers = {}) =>
    get(app, path, token, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } });
  const place = { x: 0.5, y: 0.25 };
  const key = { "Idempotency-Key": "comment-1-of-bot" };
  const started = await post(`/images/${imageId}/comments`, { text: "Larger?", place }, key);
  expect(started.status).toBe(201);
  const { id: threadId } = await started.json();
  expect(await (await post(`/images/${imageId}/comments`, { text: "Larger?", place }, key)).json()).toEqual({ id: threadId });
  expect((await post(`/threads/${threadId}/replies`, { text: "**Yes**" }, key)).status).toBe(201);
  const listed = await (await get(app, `/images/${imageId}/comments`, token)).json();
  expect(listed).toMatchObject({ items: [{ id: threadId, text: "Larger?", place, version: 1, replyCount: 1, isResolved: false }] });
  const replies = await (await get(app, `/threads/${threadId}/replies`, token)).json();
  expect(replies.items).toMatchObject([{ threadId, text: "**Yes**", author: { name: "Ada Lovelace" }, editedAt: null }]);
  const onDesign = await post(`/designs/${designId}/comments`, { text: "Larger?" }, key);
  expect([onDesign.status, (await onDesign.json()).id === threadId]).toEqual([201, false]);

  const { name, buffer } = await chosen("fig");
  const body = new FormData();
  body.append("files", new File([new Uint8Array(buffer)], name));
  body.append("files", new File(["no image"], "notes.txt"));
  const added = await get(app, `/images/${imageId}/comment-images`, token, { method: "POST", body });
  expect(added.status).toBe(201);
  const { results } = await added.json();
  expect(results).toMatchObject([
    { name, ok: true },
    { name: "notes.txt", ok: false, isRetryable: false },
  ]);
  const imageIds = [results[0].imageId];
  expect((await post(`/threads/${threadId}/replies`, { text: "", imageIds })).status).toBe(201);
  expect((await post(`/threads/${threadId}/replies`, { text: "Again", imageIds })).status).toBe(422);
  const [, shown] = (await (await get(app, `/threads/${threadId}/replies`, token)).json()).items;
  expect(shown).toMatchObject({ text: "", images: [{ id: imageIds[0], name }] });
  const file = await fetch(shown.images[0].fileUrl, { headers: { Authorization: `Bearer ${token}` } });
  const { exif, width, height } = await sharp(Buffer.from(await file.arrayBuffer())).metadata();
  expect({ exif, width, height }).toEqual({ exif: undefined, width: shown.images[0].width, height: shown.images[0].height });
  for (const [body, status] of [
    [{ text: "" }, 400],
    [{ text: "x".repeat(5001) }, 400],
    [{ text: "a", place: { x: 2, y: 0 } }, 400],
    [{ text: "a", other: 1 }, 400],
  ] as const)
    expect((await post(`/images/${imageId}/comments`, body)).status, JSON.stringify(body).slice(0, 50)).toBe(status);
  await page.goto(`/design/${designId}/images/${imageId}/comments`);
  await expect(page.getByText("Larger?").first()).toBeVisible();
});

test("an access token gives access to the HTTP API only", { tag: "@access-token-elsewhere" }, async ({ page, person, app }) => {
  await page.goto("/account/tokens");
  await hydrated(page);
  const token = await createToken(page, { name: "All", scopes: ["Read", "Upload", "Comment"] });
  expect(person.email).toContain("@");
  const headers = { Authorization: `Bearer ${token}` };
  for (const path of ["/api/auth/list-sessions", "/api/auth/get-session", "/account/export", "/projects", "/uploads"]) {
    const answer = await fetch(app.url + path, { headers, redirect: "manual" });
    const text = await answer.text();
    expect(answer.status === 200 ? text : "refused", path).toMatch(/^(refused|null)$/);
  }
  const tooMany = await fetch(`${app.url}/api/auth/update-user`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Taken" }),
  });
  expect(tooMany.status).toBe(401);
});

test(
  "bad requests to the HTTP API get an error that names what was expected",
  { tag: "@http-api-bad-requests" },
  async ({ page, person, app }) => {
    await page.goto("/account/tokens");
    await hydrated(page);
    const token = await createToken(page, { name: "Reader", scopes: ["Read", "Upload"] });
    const { designId } = await makeDesign(app, person);
    const cases: [path: string, init: Parameters<typeof get>[3], token: string | undefined, status: number, code: string][] = [
      ["/projects", {}, undefined, 401, "unauthenticated"],
      ["/projects", {}, "atl_short", 401, "unauthenticated"],
      ["/projects", {}, `atl_${"x".repeat(40)}`, 401, "unauthenticated"],
      ["/nothing", {}, token, 404, "not_found"],
      ["/projects", { method: "DELETE" }, token, 405, "method_not_allowed"],
      ["/projects?limit=0", {}, token, 400, "invalid_query"],
      ["/projects?page=2", {}, token, 400, "invalid_query"],
      ["/projects?cursor=garbage", {}, token, 400, "invalid_query"],
      [`/images/x/file?width=17`, {}, token, 400, "invalid_query"],
      [`/designs/${designId}/images`, { method: "POST", body: "{}" }, token, 400, "invalid_form"],
      [`/designs/${designId}/images`, { method: "POST", headers: { "Idempotency-Key": "x" } }, token, 400, "invalid_idempotency_key"],
    ];
    for (const [path, init, used, status, code] of cases) {
      const answer = await get(app, path, used, init);
      expect(answer.status, path).toBe(status);
      expect(await answer.json(), path).toMatchObject({ error: { code, message: expect.stringMatching(/.{10}/) } });
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
    const text = new File(["no image"], "notes.txt");
    const body = new FormData();
    body.append("files", text);
    const refused = await get(app, `/designs/${designId}/images`, token, { method: "POST", body });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ results: [{ name: "notes.txt", ok: false, isRetryable: false }] });
  },
);

test("the OpenAPI document is valid and lists each endpoint", { tag: "@open-api" }, async ({ app }) => {
  const answer = await get(app, "/openapi.json");
  const document = await answer.json();
  const { valid, errors } = await new Validator().validate(document);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(Object.keys(document.paths)).toContain("/designs/{id}/images");
  const described = await readFile("docs/api.md", "utf8");
  for (const path of Object.keys(document.paths)) expect(described).toContain(`\`${path}\``);
});

test("limits requests per token and failed authentications per address", { tag: ["@http-api-limits", "@slow"] }, async ({ launch }) => {
  const app = await launch({ ACCOUNTS_RATE_LIMIT: "true" });
  const answers = await Promise.all(Array.from({ length: 60 }, () => get(app, "/projects", "wrong")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  const limited = await get(app, "/projects", "wrong");
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
});
