import { api } from "../../../convex/_generated/api.js";
import { expect, hydrated, test } from "../../harness/test.ts";
import { inviteTo } from "../support/members.ts";
import { brokenWords, drawn, NARROW, outside } from "../support/measures.ts";
import { deploymentAs } from "../support/pictures.ts";

const LONG = "Donaudampfschifffahrtsgesellschaftskapitän";

test("a heading breaks inside a word only where the word is longer than the line", async ({ page, person, app }) => {
  const convex = await deploymentAs(app, person);
  const project = await convex.mutation(api.projects.create, { name: LONG });
  await convex.mutation(api.projects.create, { name: "Nightfall" });
  const design = await convex.mutation(api.designs.create, { projectId: project, name: LONG });
  await convex.mutation(api.designs.moveToTrash, { id: design });
  await page.emulateMedia({ reducedMotion: "reduce" });
  const invitation = await inviteTo(app, { owner: person, projectId: project, role: "viewer" });
  const long = [`/trash/${design}/restore`, invitation];
  for (const path of ["/projects", "/trash", "/shared", "/notifications", "/account/security", "/billing", ...long]) {
    await page.goto(path);
    await hydrated(page);
    for (const width of [NARROW.width, 360]) {
      await page.setViewportSize({ ...NARROW, width });
      await drawn(page);
      expect.soft(await brokenWords(page), `${path} at ${width} px`).toEqual(long.includes(path) ? [expect.stringContaining(LONG)] : []);
      expect.soft(await outside(page), `${path} at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
});
