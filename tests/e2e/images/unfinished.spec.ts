import { picturePath } from "../../fixtures/pictures.ts";
import { expect, expectAccessible, hydrated, test } from "../../harness/test.ts";
import { imagesIn, makeDesign } from "../support/pictures.ts";
import { queuedFiles, tray, whenStored } from "../support/uploads.ts";

const NAMES = ["mountain.jpg", "fig.jpg", "bank.png", "dogs.jpg", "habits.png", "stripes.png"];
const FILES = ["mountain", "fig", "bank", "dogs", "habits", "stripes"] as const;

test(
  "resumes queued files in their order after a reload",
  { tag: ["@resumes-queue-after-reload", "@slow"] },
  async ({ page, app, person }) => {
    const { designId, path } = await makeDesign(app, person);
    await page.goto(path);
    await hydrated(page);
    const blocked = Promise.withResolvers<undefined>();
    await page.route(/\/uploads(\/|$)/, async (route) => {
      await blocked.promise;
      await route.continue().catch(() => {});
    });
    await page.getByLabel("Add images").setInputFiles(FILES.map(picturePath));
    await whenStored(page, FILES.length);
    page.on("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await expect(tray(page).getByRole("heading")).toHaveText("6 files were not uploaded. Resuming…");
    await expectAccessible(page);
    blocked.resolve(undefined);
    await expect(tray(page).getByRole("heading")).toHaveText("6 images added");
    expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(NAMES);
    await expect(tray(page)).toBeHidden();
    expect(await queuedFiles(page)).toEqual([]);
  },
);

test("erases queued files at sign-out", async ({ page, app, person }) => {
  const { path } = await makeDesign(app, person);
  await page.goto(path);
  await hydrated(page);
  await page.route(/\/uploads(\/|$)/, () => {});
  await page.getByLabel("Add images").setInputFiles(FILES.map(picturePath));
  await whenStored(page, FILES.length);
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: person.name }).click();
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page).toHaveURL(/\/sign-in$/);
  await expect.poll(() => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toEqual([]);
});
