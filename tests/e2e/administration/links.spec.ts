import { randomUUID } from "node:crypto";
import { storeOf } from "../../harness/store.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, type Person, signUp, test as base } from "../../harness/test.ts";
import { makeLink } from "../support/links.ts";
import { deploymentAs } from "../support/pictures.ts";
import { api } from "../../../convex/_generated/api.js";

const test = base.extend<{ admin: Person }>({
  admin: async ({ app, person }, use) => {
    await (await storeOf(app)).setAdministrator(person.id, true);
    await use(person);
  },
});

test.use({ allowedErrors: [/status of 40[34]/] });

withAndWithoutJavaScript((javaScript) => {
  test("revokes a link of another person after the password", { tag: "@administration-links" }, async ({ app, page, admin }) => {
    const name = `Grace ${randomUUID().slice(0, 8)}`;
    const grace = await signUp(app.url, name);
    const project = await (await deploymentAs(app, grace)).mutation(api.projects.create, { name: "Compiler" });
    const address = await makeLink(app, grace, project);
    expect((await fetch(app.url + new URL(address, app.url).pathname)).status).toBe(200);
    await (await storeOf(app)).change("sessions", { userId: admin.id }, { createdAt: Date.now() - 16 * 60_000 });

    await page.goto("/admin");
    await page.getByRole("link", { name: "Links", exact: true }).click();
    if (javaScript) await hydrated(page);
    await page.getByRole("searchbox", { name: "Email address or user id of the creator" }).fill(grace.email);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const links = page.getByRole("list", { name: "Public links" }).getByRole("listitem");
    await expect(links).toHaveCount(1);
    await expect(links).toContainText(`Project by ${name}`);
    await expect(page.getByText("Compiler")).toHaveCount(0);
    await expectAccessible(page);
    const revoke = page.getByRole("button", { name: `Revoke link to project by ${name}` });
    await revoke.click();
    await page.getByLabel("Your password").fill(admin.password);
    await revoke.click();
    await expect(revoke).toHaveCount(0);
    expect((await fetch(app.url + new URL(address, app.url).pathname)).status).toBe(404);
  });
});
