import { api } from "../../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, expectAccessible, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

withAndWithoutJavaScript((javaScript) => {
  test("groups activity by day and links to its items", { tag: "@activity-days" }, async ({ page, app, person }) => {
    const { designId } = await makeDesign(app, person);
    const convex = await deploymentAs(app, person);
    const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
    const [imageId = ""] = await addPictures(app, person, designId, ["fig"]);
    await convex.mutation(api.designImages.setCaption, { id: imageId, caption: "A fig" });
    const actions = pageActions(page, javaScript);
    await actions.open(`/projects/${projectId}/activity`);
    const day = page.getByRole("list", { name: /^Activity on \d/ });
    await expect(day).toHaveCount(1);
    const entries = day.getByRole("listitem");
    await expect(entries.filter({ hasText: "created" })).toHaveCount(2);
    await expect(entries.filter({ has: page.locator("img") })).toHaveCount(await entries.count());
    await expectAccessible(page);
    await page.getByRole("link", { name: /changed the caption of/ }).click();
    await expect(page).toHaveURL(`/design/${designId}/images/${imageId}`);
    await actions.open(`/projects/${projectId}/activity`);
    await page.getByRole("link", { name: /created “.?Cover/ }).click();
    await expect(page).toHaveURL(`/design/${designId}`);
    await convex.mutation(api.designs.create, { projectId, name: "Empty" });
    await actions.open(`/projects/${projectId}/activity`);
    await expect(page.getByRole("link", { name: /created “.?Empty/ }).locator("svg")).toBeVisible();
  });
});
