import { randomBytes } from "node:crypto";
import { type BalancedApp, startBalanced } from "../harness/balanced.ts";
import { expect, hydrated, signUp, test } from "../harness/test.ts";
import { pageActions } from "../e2e/support/page-actions.ts";
import { chosen, imagesIn, makeDesign } from "../e2e/support/pictures.ts";

test("two servers behind a balancer without affinity serve every session", async ({ browser }) => {
  test.slow();
  const app = await startBalanced();
  const { url: origin, servers } = app;
  try {
    for (const javaScriptEnabled of [true, false]) {
      const email = `${randomBytes(6).toString("hex")}@example.com`;
      const context = await browser.newContext({ baseURL: origin, javaScriptEnabled });
      const page = await context.newPage();
      const actions = pageActions(page, javaScriptEnabled);

      await actions.open("/sign-up");
      await page.getByLabel("Name", { exact: true }).fill("Ada");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
      await page.getByRole("button", { name: /sign up|create account/i }).click();
      await expect(page).toHaveURL("/projects");
      if (javaScriptEnabled) await hydrated(page);

      await actions.create("project", "Spring");
      await expect(page.getByRole("heading", { name: "Spring" })).toBeVisible();
      await actions.ready();
      await actions.renameInPlace("Summer");
      // Without scripts, renaming loads a document, which would close the dialog that opens next.
      await expect(page.getByRole("heading", { name: "Summer", level: 1 })).toBeAttached();
      await actions.ready();
      await actions.create("design", "Cover");
      await expect(page.getByRole("heading", { name: "Cover" })).toBeVisible();
      await actions.ready();
      await page.getByLabel("Add images").setInputFiles([await chosen("fig")]);
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByRole("main").getByRole("img").first()).toBeVisible();

      await actions.open("/account/sessions");
      await expect(page.getByRole("heading", { name: "Active sessions" })).toBeVisible();
      await actions.open("/search?q=Summer");
      await expect(page.getByRole("main").getByRole("link", { name: "Summer" }).first()).toBeVisible();

      const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
      const signedIn = () =>
        Promise.all(
          servers.map(
            async (server) =>
              (await fetch(`http://127.0.0.1:${server.port}/projects`, { redirect: "manual", headers: { Cookie: cookies } })).status,
          ),
        );
      expect(await signedIn()).toEqual([200, 200]);
      expect((await page.request.post("/sign-out", { headers: { Origin: origin }, maxRedirects: 0 })).status()).toBeLessThan(400);
      expect(await signedIn()).toEqual([302, 302]);
      if (javaScriptEnabled) await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
      await page.goto("about:blank");
      await context.close();
    }
    const [one = 0, other = 0] = app.served();
    expect(Math.min(one, other)).toBeGreaterThan(15);
    await expectSameServer(app);
  } finally {
    await app.dispose();
  }
});

async function expectSameServer(app: BalancedApp): Promise<void> {
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const file = await chosen("fig");
  const own = { Origin: app.url, Cookie: person.cookieHeader, "Tus-Resumable": "1.0.0" };
  const [first, second] = app.servers.map(
    ({ port }) =>
      (path: string, method: string, headers: Record<string, string> = {}, body?: Buffer) =>
        fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...own, ...headers }, body: body ? new Uint8Array(body) : null }),
  );
  if (!first || !second) throw new Error("There are not two servers");
  const messages = Object.entries({ design: designId, filename: file.name }).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`,
  );
  const begun = await first("/uploads", "POST", { "Upload-Length": String(file.buffer.length), "Upload-Metadata": messages.join(",") });
  expect(begun.status).toBe(201);
  const path = begun.headers.get("Location") ?? "";
  const part = (from: number, to?: number) =>
    [
      path,
      "PATCH",
      { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(from) },
      file.buffer.subarray(from, to),
    ] as const;
  expect((await first(...part(0, 100_000))).status).toBe(204);

  const refusals = [await second(...part(100_000)), await second(`${path}/finish`, "POST"), await second(path, "DELETE")];
  for (const refusal of refusals) {
    expect([refusal.status, await refusal.json()]).toEqual([404, { problem: "The upload has expired and restarts from the beginning." }]);
  }
  expect((await second(path, "HEAD")).status).toBe(404);
  expect((await first(path, "HEAD")).headers.get("Upload-Offset")).toBe("100000");
  expect((await first(...part(100_000))).status).toBe(204);
  expect(await (await first(`${path}/finish`, "POST")).json()).toMatchObject({ ok: true });
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual([file.name]);
}
