import { api } from "../../../convex/_generated/api.js";
import { expect, hydrated, test } from "../../harness/test.ts";
import { drawn, NARROW, outside } from "../support/measures.ts";
import { deploymentAs } from "../support/pictures.ts";

test("a long description fits into narrow windows", async ({ page, person, app }) => {
  const convex = await deploymentAs(app, person);
  const description = "A sentence about the work. ".repeat(10);
  const project = await convex.mutation(api.projects.create, { name: "Atlas" });
  const design = await convex.mutation(api.designs.create, { projectId: project, name: "Cover" });
  await convex.mutation(api.projects.setDescription, { id: project, description });
  await convex.mutation(api.designs.setDescription, { id: design, description });
  for (const path of [`/projects/${project}`, `/design/${design}`]) {
    await page.goto(path);
    await hydrated(page);
    for (const width of [NARROW.width, 360]) {
      await page.setViewportSize({ ...NARROW, width });
      await drawn(page);
      await page.locator("main details").evaluateAll((all) => all.forEach((each) => each.setAttribute("open", "")));
      await expect(page.getByRole("button", { name: "Edit description" })).toBeVisible();
      expect.soft(await outside(page), `${path} at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
});
