import { api } from "../../convex/_generated/api.js";
import { expect, hydrated, type Person, type RunningApp } from "../harness/test.ts";
import { deploymentAs } from "./pictures.ts";
import type { Page } from "@playwright/test";

/** What somebody does on the pages of projects and designs: the same steps with JavaScript and without. */
export function hands(page: Page, javaScript: boolean) {
  /** Waits until a click is the app's: until React has taken the page over, where there is a React. */
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

    /** Fills the form that makes a new one, and sends it. */
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

    /** Makes a project and stays on its page. Answers its path. */
    async makeProject(name: string) {
      await open("/projects");
      await this.create("project", name);
      await expect(page).toHaveURL(/\/projects\/[a-z0-9]{32}$/);
      await expect(page.getByRole("heading", { name, level: 1 })).toBeAttached();
      await ready();
      return new URL(page.url()).pathname;
    },

    /** Asks for something by the menu of a card. */
    async ask(what: "Rename" | "Move to trash", name: string) {
      await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
      await page.getByRole("link", { name: what }).click();
    },

    /** Has the menu of a card do something at once. */
    async act(what: string, name: string) {
      await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
      await page.getByRole("group", { name, exact: true }).getByRole("button", { name: what, exact: true }).click();
    },

    /** Chooses several things of the page by their check boxes, and has something done with them. */
    async withChosen(what: string, ...names: string[]) {
      for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
      await page.getByRole("form", { name: "Selection" }).getByRole("button", { name: what, exact: true }).click();
    },

    /** Chooses several things, and puts tags on them or takes them off: the first by Enter in the field. */
    async tagChosen(what: "Add" | "Take off", tags: string, ...names: string[]) {
      await this.withChosen("Tag…", ...names);
      const field = page.getByLabel("Tags, with commas between them");
      await field.fill(tags);
      if (what === "Add") await field.press("Enter");
      else await page.getByRole("button", { name: what, exact: true }).click();
    },

    /** Chooses where something is to be moved. */
    async moveTo(name: string) {
      await page.getByRole("radio", { name: new RegExp(`^${name.replaceAll(/[()]/g, "\\$&")} \\d`) }).check();
      await page.getByRole("button", { name: /^(Move|Restore) here$/ }).click();
    },

    async renameCard(thing: string, from: string, to: string) {
      await this.ask("Rename", from);
      await dialog(`Rename ${thing}`).getByLabel("Name").fill(to);
      await dialog(`Rename ${thing}`).getByRole("button", { name: "Rename" }).click();
    },

    async removeCard(thing: string, name: string) {
      await this.ask("Move to trash", name);
      await dialog(`Move ${thing} to the trash?`).getByRole("button", { name: "Move to trash" }).click();
    },

    /** Renames what the page is about where its title stands. */
    async renameInPlace(to: string, thing = "project") {
      await page.getByLabel(`Name of the ${thing}`).fill(to);
      await page.getByLabel(`Name of the ${thing}`).press("Enter");
    },

    /** Writes the description, or the caption, of what the page is about. */
    async tell(field: "description" | "caption", text: string) {
      if (field === "caption") await this.openFacts();
      await page.getByRole("button", { name: new RegExp(`(Add a|Edit) ${field}`) }).click();
      const asks = dialog(new RegExp(`(Add a|Edit) ${field}`));
      await asks.getByRole("textbox").fill(text);
      await asks.getByRole("button", { name: "Save" }).click();
      await expect(asks).toHaveCount(0);
    },

    /** Puts tags on what the page is about, or takes one off. */
    async tag(tags: string) {
      await this.openFacts();
      const field = page.getByRole("combobox", { name: "Add a tag" });
      await field.fill(tags);
      await field.press("Enter");
    },
    async untag(tag: string) {
      await this.openFacts();
      await page.getByRole("button", { name: `Take off the tag ${tag}`, exact: true }).click();
    },

    /** Unfolds what the viewer tells at its side, where the page is one. */
    async openFacts() {
      const folded = page.locator("details:not([open]) > summary", { hasText: "Facts" });
      if ((await folded.count()) > 0) await folded.click();
    },

    /** Deletes what the page is about. */
    async removeHere(thing: string) {
      await page
        .getByRole("button", { name: `Delete ${thing}` })
        .first()
        .click();
      await dialog(`Move ${thing} to the trash?`).getByRole("button", { name: "Move to trash" }).click();
    },

    /** Presses a button of the page by its name. */
    press: (name: string) => page.getByRole("main").getByRole("button", { name, exact: true }).click(),

    /** What the menu of the page's own subject does: `thing` is "project", "design" or "image". */
    async actHere(thing: string, what: string) {
      await page.getByRole("button", { name: `More for this ${thing}` }).click();
      await page
        .getByRole("group", { name: `More for this ${thing}` })
        .getByRole("button", { name: what, exact: true })
        .click();
    },

    /** What lies in the trash: `thing` is "project", "design" or "image". */
    async purge(thing: string, name: string) {
      await page.getByRole("link", { name: `Delete for ever: ${name}` }).click();
      await dialog(`Delete ${thing} for ever?`).getByRole("button", { name: "Delete for ever" }).click();
    },

    async emptyTrash() {
      await page.getByRole("button", { name: "Empty the trash" }).first().click();
      await dialog("Empty the trash?").getByRole("button", { name: "Empty the trash" }).click();
    },

    /** The names of the cards on the page, in order: to be waited for, since a page that is just being left cannot be asked. */
    cards: page.getByRole("main").getByRole("listitem").getByRole("heading"),
    /** The names of the projects in the sidebar, in order. */
    sidebar: page.getByRole("complementary", { name: "Sidebar" }).getByRole("listitem"),
  };
}

export type Hands = ReturnType<typeof hands>;

/**
 * What the deployment holds for somebody at one moment: their projects and designs by name, in order. Asked for by another way than the
 * pages', and at one timestamp, so that what goes between two of the questions cannot be missing for the second.
 */
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
