import { randomBytes } from "node:crypto";
import { type BalancedApp, startBalanced } from "../harness/balanced.ts";
import { expect, hydrated, signUp, test } from "../harness/test.ts";
import { hands } from "./hands.ts";
import { chosen, imagesIn, makeDesign } from "./pictures.ts";

/**
 * Two app servers on one deployment that stands for any other, and every request of a session is sent to the other one in turn: nobody notices.
 */
test("two servers behind a balancer that never sends anybody to the same one twice", async ({ browser }) => {
  test.slow();
  const app = await startBalanced();
  const { url: origin, servers } = app;
  try {
    for (const javaScriptEnabled of [true, false]) {
      const email = `${randomBytes(6).toString("hex")}@example.com`;
      const context = await browser.newContext({ baseURL: origin, javaScriptEnabled });
      const page = await context.newPage();
      const her = hands(page, javaScriptEnabled);

      await her.open("/sign-up");
      await page.getByLabel("Name", { exact: true }).fill("Ada");
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("correct horse battery staple");
      await page.getByRole("button", { name: /sign up|create account/i }).click();
      await expect(page).toHaveURL("/projects");
      if (javaScriptEnabled) await hydrated(page);

      await her.create("project", "Spring");
      await expect(page.getByRole("heading", { name: "Spring" })).toBeVisible();
      await her.ready();
      await her.renameInPlace("Summer");
      // Without scripts that is another document, which would take the dialog away that is opened next.
      await expect(page.getByRole("heading", { name: "Summer", level: 1 })).toBeAttached();
      await her.ready();
      await her.create("design", "Cover");
      await expect(page.getByRole("heading", { name: "Cover" })).toBeVisible();
      await her.ready();
      await page.getByLabel("Add images").setInputFiles([await chosen("fig")]);
      if (!javaScriptEnabled) await page.getByRole("button", { name: "Upload" }).click();
      await expect(page.getByRole("main").getByRole("img").first()).toBeVisible();

      await her.open("/account/sessions");
      await expect(page.getByRole("heading", { name: "Where you are signed in" })).toBeVisible();
      await her.open("/search?q=Summer");
      await expect(page.getByRole("main").getByText("Summer").first()).toBeVisible();

      // Signing out at one is signing out at both.
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
      // A page with scripts goes by itself, and is not led elsewhere meanwhile.
      if (javaScriptEnabled) await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeVisible();
      await page.goto("about:blank");
      await context.close();
    }
    const [one = 0, other = 0] = app.served();
    expect(Math.min(one, other)).toBeGreaterThan(15);
    await goesOnAtItsOwn(app);
  } finally {
    await app.dispose();
  }
});

/**
 * A part of a file that reaches the server which does not have the rest is refused, in the words by which the page's script begins anew (`app/uploads/uploads.test.ts`,
 * 'begins anew where the server has lost it'), and takes nothing from what the other one has: there it is gone on with.
 */
async function goesOnAtItsOwn(app: BalancedApp): Promise<void> {
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
  const told = Object.entries({ design: designId, filename: file.name }).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`,
  );
  const begun = await first("/uploads", "POST", { "Upload-Length": String(file.buffer.length), "Upload-Metadata": told.join(",") });
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
    expect([refusal.status, await refusal.json()]).toEqual([
      404,
      { problem: "The server has nothing of this file any more. It starts from the beginning." },
    ]);
  }
  expect((await second(path, "HEAD")).status).toBe(404);
  expect((await first(path, "HEAD")).headers.get("Upload-Offset")).toBe("100000");
  expect((await first(...part(100_000))).status).toBe(204);
  expect(await (await first(`${path}/finish`, "POST")).json()).toMatchObject({ ok: true });
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual([file.name]);
}
