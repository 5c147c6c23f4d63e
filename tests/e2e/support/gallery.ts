import type { Page } from "@playwright/test";
import type { Person, RunningApp } from "../../harness/test.ts";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "./pictures.ts";

export const gallery = (page: Page) => page.getByRole("list", { name: "Images", exact: true }).getByRole("listitem");
export const card = (page: Page, name: string) => gallery(page).filter({ hasText: name }).getByRole("link").first();

export async function twoImages(app: RunningApp, person: Person) {
  const { designId, path } = await makeDesign(app, person);
  const ids = await addPictures(app, person, designId, ["fig", "bank"]);
  const convex = await deploymentAs(app, person);
  const names = async () => (await imagesIn(app, person, designId)).map(({ name }) => name);
  return { designId, path, ids, convex, names };
}
