import type { Page } from "@playwright/test";
import sharp from "sharp";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { addPictures, addVersion, chosen, deploymentAs, imagesIn, makeDesign } from "../support/pictures.ts";
import { api } from "../../../convex/_generated/api.js";
import { unzip } from "../../zip.ts";

// Developer tools and recorders fetch the chosen file, which the policy blocks. The page does not fetch it.
test.use({ allowedErrors: [/Connecting to 'blob:/] });

const PICTURES = ["fig", "sunset"] as const;

withAndWithoutJavaScript((javaScript) => {
  const open = async (page: Page, path: string) => {
    await page.goto(path);
    if (javaScript) await hydrated(page);
  };
  const sidebar = (page: Page) => page.getByRole("complementary", { name: "Sidebar" });

  test("changes the name and reports a missing one at its field", async ({ page, person }) => {
    await open(page, "/account");
    await expectAccessible(page);
    const field = page.getByLabel("Your name");
    await expect(field).toHaveValue(person.name);
    await field.fill("   ");
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(field).toHaveAccessibleDescription("Enter your name.");
    await field.fill("Grace Hopper");
    await page.getByRole("button", { name: "Save name" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Saved." })).toBeVisible();
    await expect(sidebar(page).getByText("Grace Hopper")).toBeVisible();
    await expectAccessible(page);
  });

  test("changes an unverified address at once, with the specified error messages", async ({ page, person, stranger }) => {
    await open(page, "/account");
    const field = page.getByLabel("New email");
    const change = page.getByRole("button", { name: "Change email" });
    for (const [typed, message] of [
      ["ada@", "Invalid email"],
      [person.email.toUpperCase(), "Email is the same"],
      [stranger.email, "Couldn't update your email"],
    ] as const) {
      await field.fill(typed);
      await change.click();
      await expect(field).toHaveAccessibleDescription(message);
      await expect(field).toHaveValue(typed);
    }
    const fresh = `new-${person.email}`;
    await field.fill(fresh);
    await change.click();
    await expect(page.getByText(`Email changed to ${fresh}.`)).toBeVisible();
    await expect(sidebar(page).getByText(fresh)).toBeVisible();
  });

  test("crops a profile picture, hides it from others and removes it", async ({ page, person, stranger, request }) => {
    await open(page, "/account");
    const stripes = await stripesPng();
    await page.getByLabel("New picture").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: stripes });
    await page.getByRole("button", { name: "Save picture" }).click();
    await expect(page.getByText("Saved.")).toBeVisible();
    const address = (await sidebar(page).locator("img").getAttribute("src")) ?? "";
    expect(address).toMatch(new RegExp(`^/people/${person.id}/picture\\?v=`));
    const answer = await page.request.get(address);
    expect(answer.headers()["content-type"]).toBe("image/webp");
    expect(await colourOf(await answer.body())).toEqual({ size: [256, 256], colour: "green" });
    await expectAccessible(page);
    for (const cookie of ["", stranger.cookieHeader]) {
      expect((await request.get(address, { headers: { Cookie: cookie } })).status()).toBe(404);
    }

    await page.getByLabel("New picture").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from("no picture at all") });
    await page.getByRole("button", { name: "Save picture" }).click();
    await expect(page.getByLabel("New picture")).toHaveAccessibleDescription(/Unsupported file type/);

    await page.getByRole("button", { name: "Remove picture" }).click();
    await expect(sidebar(page).locator("img")).toHaveCount(0);
    expect((await page.request.get(address)).status()).toBe(404);
  });

  test(
    "lists sessions and ends one or all others",
    { tag: "@lists-sessions-ends-others" },
    async ({ page, person, otherBrowser, app, request }) => {
      const second = await otherBrowser(person);
      await request.post("/api/auth/sign-in/email", {
        headers: {
          Cookie: "",
          Origin: app.url,
          "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:129.0) Gecko/20100101 Firefox/129.0",
        },
        data: { email: person.email, password: person.password },
      });
      await open(second, "/projects");
      await open(page, "/account/sessions");
      await expectAccessible(page);
      const rows = page
        .getByRole("main")
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading") });
      await expect(rows).toHaveCount(3);
      await expect(rows.first()).toContainText("This session");
      await expect(rows.first()).toContainText("Active now");
      await expect(rows.first()).toContainText("127.0.0.1");
      await expect(rows.filter({ hasText: "Firefox on Windows" })).toContainText("Last active");
      await expect(rows.first().getByRole("button")).toHaveCount(0);

      const ofSecond = rows.filter({ hasText: /Chrome|node/ }).last();
      await ofSecond.getByRole("button", { name: /^Sign out/ }).click();
      await expect(rows).toHaveCount(2);
      await page.getByRole("button", { name: "Sign out all other sessions" }).click();
      await expect(rows).toHaveCount(1);
      await expect(page.getByRole("button", { name: "Sign out all other sessions" })).toHaveCount(0);
      if (!javaScript) await second.reload();
      await expect(second).toHaveURL(/\/sign-in/);
    },
  );

  test("keeps the only sign-in method and shows the reason", async ({ page, person }) => {
    await open(page, "/account/connections");
    await expect(page.getByRole("heading", { name: "Email and password" })).toBeVisible();
    await expect(page.getByText("This is your only sign-in method, so it cannot be removed.")).toBeVisible();
    await expect(page.getByText("No sign-in provider is configured for this installation.")).toBeVisible();
    await expectAccessible(page);
    expect(person.id).not.toBe("");
  });

  test("deletes an account and all its data once address and password are entered", async ({ page, person, request }) => {
    await open(page, "/account/data");
    await expectAccessible(page);
    const confirmation = page.getByLabel(/^Type .* to confirm$/);
    const password = page.getByLabel("Your password");
    await confirmation.fill("somebody@else.example");
    await password.fill(person.password);
    await page.getByRole("button", { name: "Delete account" }).click();
    await expect(confirmation).toHaveAccessibleDescription(`Type ${person.email} to confirm.`);
    await confirmation.fill(person.email);
    await password.fill("wrong horse");
    await page.getByRole("button", { name: "Delete account" }).click();
    await expect(password).toHaveAccessibleDescription("Invalid password");
    await expect(confirmation).toHaveValue(person.email);
    await password.fill(person.password);
    await page.getByRole("button", { name: "Delete account" }).click();
    await expect(page).toHaveURL("/sign-in");
    const again = await request.post("/api/auth/sign-in/email", { data: { email: person.email, password: person.password } });
    expect(again.status()).toBe(401);
  });
});

test.describe("a picture's crop", () => {
  test("follows the chosen position", async ({ page, person }) => {
    await page.goto("/account");
    await hydrated(page);
    await page.getByLabel("New picture").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: await stripesPng() });
    await page.getByRole("slider", { name: "Horizontal position" }).fill("1");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save picture" }).click();
    await expect(page.getByText("Saved.")).toBeVisible();
    const address = (await page.getByRole("complementary", { name: "Sidebar" }).locator("img").getAttribute("src")) ?? "";
    expect(await colourOf(await (await page.request.get(address)).body())).toEqual({ size: [256, 256], colour: "blue" });
    expect(person.id).not.toBe("");
  });
});

test("exports a user's data with the original files and without secrets", async ({ app, person, request }) => {
  const { designId } = await makeDesign(app, person, "A/B: cover?");
  const files = await Promise.all(PICTURES.map(chosen));
  await addPictures(app, person, designId, [...PICTURES]);
  await (await deploymentAs(app, person)).mutation(api.designs.setFavourite, { id: designId, favourite: true });
  const answer = await request.get("/account/export", { headers: { Cookie: person.cookieHeader } });
  expect(answer.status()).toBe(200);
  expect(answer.headers()["content-disposition"]).toMatch(
    /^attachment; filename="atelier-[\d-]+\.zip"; filename\*=UTF-8''atelier-[\d-]+\.zip$/,
  );

  const archive = unzip(await answer.body());
  const account = String(archive.get("account.json"));
  expect(JSON.parse(account)).toMatchObject({ user: { id: person.id, email: person.email }, accounts: [{ providerId: "credential" }] });
  expect(account).not.toMatch(/"(password|token|secret|accessToken)"/i);
  const [project] = JSON.parse(String(archive.get("projects.json")));
  const images: { file: string; name: string }[] = project.designs[0].images;
  expect(images.map(({ name }) => name)).toEqual(files.map(({ name }) => name));
  for (const [index, { file }] of images.entries()) {
    expect(file).toMatch(/^projects\/Magazine\/A-B- cover-\//);
    expect(archive.get(file)?.equals(files[index]?.buffer ?? Buffer.alloc(0)), file).toBe(true);
  }
  expect([...archive.keys()].filter((name) => !name.includes("/")).toSorted()).toEqual([
    "access-tokens.json",
    "account-activity.json",
    "account.json",
    "activity.json",
    "comments.json",
    "favourites.json",
    "links.json",
    "projects.json",
    "saved-links.json",
    "transfers.json",
    "webhooks.json",
  ]);
  expect(archive.size).toBe(11 + files.length);
  expect(JSON.parse(String(archive.get("links.json")))).toEqual([]);
  expect(JSON.parse(String(archive.get("saved-links.json")))).toEqual([]);
  expect(JSON.parse(String(archive.get("transfers.json")))).toEqual([]);
  expect(JSON.parse(String(archive.get("favourites.json")))).toMatchObject([{ itemId: designId }]);
  expect(JSON.parse(String(archive.get("activity.json")))).toMatchObject([{ kind: "created" }, { kind: "created" }, { kind: "uploaded" }]);

  const [first = ""] = (await imagesIn(app, person, designId)).map(({ _id }) => _id);
  await addVersion(app, person, designId, first, "path");
  await (await deploymentAs(app, person)).mutation(api.designs.moveToTrash, { id: designId });
  const later = unzip(await (await request.get("/account/export", { headers: { Cookie: person.cookieHeader } })).body());
  const [{ designs }] = JSON.parse(String(later.get("projects.json")));
  const [{ versions, file }] = designs[0].images.filter(({ id }: { id: string }) => id === first);
  expect(versions.map(({ number, current }: { number: number; current: boolean }) => [number, current])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(later.get(versions[0].file)?.equals(files[0]?.buffer ?? Buffer.alloc(0))).toBe(true);
  expect(later.get(file)?.equals((await chosen("path")).buffer)).toBe(true);
  expect([...later.keys()].filter((name) => name.startsWith("projects/"))).toEqual([]);
  expect([...later.keys()].filter((name) => name.startsWith("trash/Magazine/A-B- cover-/"))).toHaveLength(files.length + 1);

  const nobody = await request.get("/account/export", { maxRedirects: 0 });
  expect([nobody.status(), nobody.headers().location]).toEqual([302, "/sign-in?redirectTo=%2Faccount%2Fexport"]);
});

async function stripesPng(): Promise<Buffer> {
  const stripe = (background: string) =>
    sharp({ create: { width: 300, height: 300, channels: 3, background } })
      .png()
      .toBuffer();
  const [red, green, blue] = await Promise.all([stripe("#f00"), stripe("#0f0"), stripe("#00f")]);
  return sharp({ create: { width: 900, height: 300, channels: 3, background: "#000" } })
    .composite([red, green, blue].map((input, index) => ({ input, left: index * 300, top: 0 })))
    .png()
    .toBuffer();
}

async function colourOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const middle = (info.width * Math.floor(info.height / 2) + Math.floor(info.width / 2)) * info.channels;
  const [r = 0, g = 0, b = 0] = data.subarray(middle, middle + 3);
  const colour = r > 150 ? "red" : g > 150 ? "green" : b > 150 ? "blue" : "none";
  return { size: [info.width, info.height], colour };
}
