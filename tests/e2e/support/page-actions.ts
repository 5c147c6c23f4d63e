import { api } from "../../../convex/_generated/api.js";
import { expect, hydrated, type Person, type RunningApp } from "../../harness/test.ts";
import { deploymentAs } from "./pictures.ts";
import type { Page } from "@playwright/test";

export function pageActions(page: Page, javaScript: boolean) {
  const ready = async () => {
    if (javaScript) await hydrated(page);
  };
  const open = async (path: string) => {
    const answer = await page.goto(path);
    await ready();
    return answer;
  };
  const dialog = (name: string | RegExp) => page.getByRole("dialog", { name });

  return {
    page,
    ready,
    open,
    dialog,

    async create(thing: "project" | "design", name: string) {
      await page
        .getByRole("button", { name: `New ${thing}` })
        .first()
        .click();
      await dialog(`New ${thing}`).getByLabel("Name").fill(name);
      await dialog(`New ${thing}`)
        .getByRole("button", { name: `Create ${thing}` })
        .click();
    },

    async makeProject(name: string) {
      await open("/projects");
      await this.create("project", name);
      await expect(page).toHaveURL(/\/projects\/[a-z0-9]{32}$/);
      await expect(page.getByRole("heading", { name, level: 1 })).toBeAttached();
      await ready();
      return new URL(page.url()).pathname;
    },

    async openCardDialog(what: "Rename", name: string) {
      await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
      await page.getByRole("link", { name: what }).click();
    },

    async runCardAction(what: string, name: string) {
      await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
      await page.getByRole("group", { name, exact: true }).getByRole("button", { name: what, exact: true }).click();
    },

    async runOnSelected(what: string, ...names: string[]) {
      for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
      await page.getByRole("form", { name: "Selection" }).getByRole("button", { name: what, exact: true }).click();
    },

    async tagSelected(what: "Add" | "Remove tag", tags: string, ...names: string[]) {
      await this.runOnSelected("Tag…", ...names);
      const field = page.getByLabel("Tags, separated by commas");
      await field.fill(tags);
      if (what === "Add") await field.press("Enter");
      else await page.getByRole("button", { name: what, exact: true }).click();
    },

    async moveTo(name: string) {
      await this.chooseDestination(name);
      await page.getByRole("button", { name: /^(Move|Restore) here$/ }).click();
    },
    async copyTo(name: string) {
      await this.chooseDestination(name);
      await page.getByRole("button", { name: "Copy here" }).click();
    },
    async chooseDestination(name: string) {
      const option = new RegExp(`^${name.replaceAll(/[()]/g, "\\$&")} (?!\\(copy)`);
      await page.getByRole("radio", { name: option }).first().check();
    },

    async openAfter(message: string, path: string) {
      const shown = page.locator(javaScript ? "[data-sonner-toast]" : "noscript [role=status]", { hasText: message });
      await expect(shown.first()).toBeAttached();
      await open(path);
    },

    async renameCard(thing: string, from: string, to: string) {
      await this.openCardDialog("Rename", from);
      await dialog(`Rename ${thing}`).getByLabel("Name").fill(to);
      await dialog(`Rename ${thing}`).getByRole("button", { name: "Rename" }).click();
    },

    removeCard(name: string) {
      return this.runCardAction("Move to trash", name);
    },

    async renameInPlace(to: string, thing = "project") {
      await page.getByLabel(`Name of the ${thing}`).fill(to);
      await page.getByLabel(`Name of the ${thing}`).press("Enter");
    },

    async setText(field: "description" | "caption", text: string) {
      if (field === "caption") await this.openDetails();
      await page.getByRole("button", { name: new RegExp(`(Add a|Edit) ${field}`) }).click();
      const editor = dialog(new RegExp(`(Add a|Edit) ${field}`));
      await editor.getByRole("textbox").fill(text);
      await editor.getByRole("button", { name: "Save" }).click();
      await expect(editor).toHaveCount(0);
    },

    async tag(tags: string) {
      await this.openDetails();
      const field = page.getByRole("combobox", { name: "Add a tag" });
      await field.fill(tags);
      await field.press("Enter");
    },
    async untag(tag: string) {
      await this.openDetails();
      await page.getByRole("button", { name: `Remove tag ${tag}`, exact: true }).click();
    },

    async openDetails() {
      const folded = page.locator("details:not([open]) > summary", { hasText: "Details" });
      if ((await folded.count()) > 0) await folded.click();
    },

    async deletePageItem(thing: string) {
      await page
        .getByRole("button", { name: `Delete ${thing}` })
        .first()
        .click();
    },

    press: (name: string) => page.getByRole("main").getByRole("button", { name, exact: true }).click(),

    async runPageAction(thing: string, what: string) {
      await page.getByRole("button", { name: `More for this ${thing}` }).click();
      await page
        .getByRole("group", { name: `More for this ${thing}` })
        .getByRole("button", { name: what, exact: true })
        .click();
    },

    async purge(thing: string, name: string) {
      await page.getByRole("link", { name: `Delete permanently: ${name}` }).click();
      await dialog(`Delete ${thing} permanently?`).getByRole("button", { name: "Delete permanently" }).click();
    },

    async emptyTrash() {
      await page.getByRole("button", { name: "Empty the trash" }).first().click();
      await dialog("Empty the trash?").getByRole("button", { name: "Empty the trash" }).click();
    },

    cards: page.getByRole("main").getByRole("listitem").getByRole("heading"),
    sidebar: page.getByRole("complementary", { name: "Sidebar" }).getByRole("listitem"),
  };
}

export type PageActions = ReturnType<typeof pageActions>;

/** Returns a user's projects and designs by name, read at one timestamp: a move between two queries would be missed. */
export async function stored(app: RunningApp, person: Person): Promise<{ name: string; designs: string[] }[]> {
  const convex = await deploymentAs(app, person);
  const projects = await convex.consistentQuery(api.projects.getProjects, {});
  return Promise.all(
    projects.map(async ({ _id, name }) => {
      const designs = await convex.consistentQuery(api.designs.getDesignsByProjectId, { projectId: _id });
      return { name, designs: designs.map((design) => design.name) };
    }),
  );
}
