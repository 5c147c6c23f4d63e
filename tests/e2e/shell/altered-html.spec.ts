import type { Locator, Page } from "@playwright/test";
import { expect, hydrated, test } from "../../harness/test.ts";
import { addPictures, chosen, makeDesign } from "../support/pictures.ts";
import { signedInAddresses } from "../support/signed-in-addresses.ts";

test.use({ allowedErrors: [/Minified React error #418/] });

const ALTERATIONS: Record<string, () => void> = {
  "an element beside each input": () => {
    for (const input of document.querySelectorAll("input:not([type=hidden])")) input.after(document.createElement("div"));
  },
  "an element first in the body": () => document.body.prepend(document.createElement("div")),
  "attributes of inputs": () => {
    for (const input of document.querySelectorAll("input")) input.setAttribute("data-lpignore", "true");
  },
  "rewritten e-mail addresses": () => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: Node[] = [];
    while (texts.nextNode()) if (/^\S+@\S+$/.test(texts.currentNode.textContent ?? "")) found.push(texts.currentNode);
    for (const each of found)
      each.parentElement?.replaceChildren(Object.assign(document.createElement("a"), { textContent: "[email protected]" }));
  },
};

async function openAltered(page: Page, path: string, alter: () => void, act: () => Promise<void>): Promise<void> {
  const held = Promise.withResolvers<void>();
  await page.route(/\.js$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(path);
  await act();
  await page.evaluate(alter);
  held.resolve();
  await hydrated(page);
}

async function typeInto(field: Locator, text: string): Promise<void> {
  await field.fill(text);
  await field.evaluate((element: HTMLInputElement) => element.setSelectionRange(1, 4));
}

const selectionOf = (field: Locator) =>
  field.evaluate(({ selectionStart, selectionEnd }: HTMLInputElement) => [selectionStart, selectionEnd]);

for (const [name, alter] of Object.entries(ALTERATIONS)) {
  test(`keeps what was entered when the page has ${name}`, { tag: "@slow" }, async ({ page, browser, app, person }) => {
    const visitor = await (await browser.newContext({ baseURL: app.url })).newPage();
    const password = visitor.getByLabel("Password", { exact: true });
    await openAltered(visitor, "/sign-in", alter, async () => {
      await visitor.getByLabel("Email").fill("ada@example.com");
      await visitor.getByRole("checkbox").uncheck();
      await typeInto(password, "correct");
    });
    await expect(visitor.getByLabel("Email")).toHaveValue("ada@example.com");
    await expect(visitor.getByRole("checkbox")).not.toBeChecked();
    await expect(password).toHaveValue("correct");
    await expect(password).toBeFocused();
    expect(await selectionOf(password)).toEqual([1, 4]);

    const fullName = visitor.getByLabel("Name");
    await openAltered(visitor, "/sign-up", alter, async () => {
      await visitor.getByLabel("Email").fill("grace@example.com");
      await typeInto(fullName, "Grace");
    });
    await expect(visitor.getByLabel("Email")).toHaveValue("grace@example.com");
    await expect(fullName).toHaveValue("Grace");
    await expect(fullName).toBeFocused();
    expect(await selectionOf(fullName)).toEqual([1, 4]);
    await visitor.context().close();

    const { designId, path } = await makeDesign(app, person, "Clock tower");
    await addPictures(app, person, designId, ["fig", "clock"]);
    const words = page.getByRole("combobox", { name: "Search terms" });
    await openAltered(page, "/search", alter, () => typeInto(words, "tower"));
    await expect(page.getByRole("main").getByRole("listitem")).toHaveText(/Clock tower/);
    await expect(words).toHaveValue("tower");
    await expect(words).toBeFocused();

    const title = page.getByLabel("Name of the design");
    await openAltered(page, path, alter, () => typeInto(title, "Bell tower"));
    await expect(title).toHaveValue("Bell tower");
    await expect(title).toBeFocused();
    expect(await selectionOf(title)).toEqual([1, 4]);

    const boxes = (picture: string) => page.getByRole("checkbox", { name: `Select ${picture}` });
    await openAltered(page, `${path}?select=1`, alter, async () => {
      for (const picture of ["fig.jpg", "clock.webp"]) await boxes(picture).check();
    });
    await expect(page.getByRole("form", { name: "Selection" })).toContainText("2 images selected");
    await expect(boxes("clock.webp")).toBeFocused();
    await boxes("fig.jpg").uncheck();
    await expect(page.getByRole("form", { name: "Selection" })).toContainText("1 image selected");
  });
}

for (const [name, alter] of Object.entries({ ...ALTERATIONS, "no alterations": () => {} }))
  test(
    `keeps images selected for a comment when the page has ${name}`,
    { tag: "@keeps-selected-comment-images" },
    async ({ page, app, person }) => {
      const { path } = await makeDesign(app, person);
      await openAltered(page, `${path}/comments`, alter, async () => {
        await page.locator("input[name=files]").setInputFiles(await chosen("fig"));
      });
      const images = page.getByRole("list", { name: "Images of the comment" }).getByRole("listitem");
      await expect(images).not.toHaveCount(0);
      await expect(page.getByText(/^Uploading/)).toHaveCount(0);
      await expect(images).toHaveCount(1);
    },
  );

function fieldsOf(): unknown[] {
  const fields = [...document.querySelectorAll<HTMLInputElement>("input:not([type=hidden], [name=files]), textarea, select")];
  return fields
    .filter((field) => field.checkVisibility({ visibilityProperty: true }) && !field.closest("noscript"))
    .map((field) => ({
      name: field.name,
      type: field.type,
      value: field.type === "file" ? field.files?.length : field.value,
      checked: field.checked,
      focused: field === document.activeElement,
      selection: field === document.activeElement ? [field.selectionStart, field.selectionEnd] : null,
    }));
}

async function enterAll(page: Page): Promise<void> {
  for (const box of await page.locator("input[type=checkbox]:visible, input[type=radio]:visible:not(:checked)").all()) await box.click();
  const texts = page.locator("input:not([type=checkbox], [type=radio], [type=file], [type=date], [type=range]):visible, textarea:visible");
  for (const field of await texts.all())
    await field.fill((await field.getAttribute("type")) === "email" ? "new@example.com" : "Half typed");
}

const SIGNED_OUT = ["/sign-in", "/sign-up", "/forgot-password", "/reset-password?token=x", "/verify-email?state=sent"];

test("keeps every field of every page", { tag: ["@altered-pages", "@slow"] }, async ({ page, browser, app, person }) => {
  test.slow();
  const alter = () => {
    for (const input of document.querySelectorAll("input:not([type=hidden])")) input.after(document.createElement("div"));
    document.body.prepend(document.createElement("div"));
  };
  const { design, addresses } = await signedInAddresses(app, person);
  const visitor = await (await browser.newContext({ baseURL: app.url })).newPage();
  let filled = 0;
  for (const [on, path] of [
    ...SIGNED_OUT.map((each) => [visitor, each] as const),
    ...[...addresses, `${design}?select=1`, "/projects?select=1"].map((each) => [page, each] as const),
  ]) {
    let before: unknown[] = [];
    await openAltered(on, path, alter, async () => {
      await enterAll(on);
      before = await on.evaluate(fieldsOf);
    });
    filled += before.length;
    await expect.poll(() => on.evaluate(fieldsOf), { message: path }).toEqual(before);
  }
  expect(filled).toBeGreaterThan(30);
  await visitor.context().close();
});
