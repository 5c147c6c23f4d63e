import { expect, type Page } from "@playwright/test";

export const tray = (page: Page) => page.getByRole("region", { name: "Uploads" });

export async function openDetails(page: Page): Promise<void> {
  const button = tray(page).getByRole("button", { name: "List of files" });
  if ((await button.getAttribute("aria-expanded")) !== "true") await button.click();
}

type QueuedUpload = { name: string; isStored: boolean };

const readDatabase = (page: Page, deletesContents = false): Promise<QueuedUpload[]> =>
  page.evaluate(async (isDeleting) => {
    if (!(await indexedDB.databases()).some(({ name }) => name === "uploads")) return [];
    const of = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.addEventListener("success", () => resolve(request.result));
        request.addEventListener("error", () => reject(new Error("The database failed")));
      });
    const db = await of(indexedDB.open("uploads"));
    const stores = db.transaction(["files", "contents"], "readwrite");
    const uploads: QueuedUpload[] = await of(stores.objectStore("files").getAll());
    if (isDeleting) {
      for (const upload of uploads) await of(stores.objectStore("files").put({ ...upload, isStored: false }));
      await of(stores.objectStore("contents").clear());
    }
    db.close();
    return uploads;
  }, deletesContents);

export const queuedFiles = async (page: Page) => (await readDatabase(page)).map(({ name }) => name);

export const whenStored = (page: Page, files: number) =>
  expect.poll(async () => (await readDatabase(page)).filter(({ isStored }) => isStored)).toHaveLength(files);

export async function deleteStoredContents(page: Page): Promise<void> {
  await whenStored(page, 1);
  await readDatabase(page, true);
}
