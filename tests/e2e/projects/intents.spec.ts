import type { ConvexHttpClient } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { api } from "../../../convex/_generated/api.js";
import { TIME_ZONE_COOKIE } from "../../../app/lib/ui/theme/preferences.ts";
import { expect, type Person, type RunningApp, test } from "../../harness/test.ts";
import { describedIntents } from "../support/described-intents.ts";
import { type PageActions, pageActions } from "../support/page-actions.ts";
import { addPictures, addVersion, clientsOf } from "../support/pictures.ts";

test.describe.configure({ mode: "parallel" });

type TestData = { project: string; design: string; designOfImage: string; image: string; trashed: string };

type Step = {
  intent: string;
  at?: (things: TestData) => string;
  send: (actions: PageActions) => Promise<void>;
  withPictures?: boolean;
  withVersion?: boolean;
  copiesImages?: boolean;
};

const list = () => "/projects";
const trash = () => "/trash";
const project = ({ project }: TestData) => `/projects/${project}`;
const design = ({ design }: TestData) => `/design/${design}`;
const designOfImage = (things: TestData) => `/design/${things.designOfImage}`;
const image = ({ design, image }: TestData) => `/design/${design}/images/${image}`;

const chooseIn = (page: (things: TestData) => string) => (things: TestData) => `${page(things)}?select=1`;

const steps: Step[] = [
  { intent: "createProject", at: list, send: (actions) => actions.create("project", "Spring") },
  { intent: "renameProject", send: (actions) => actions.renameInPlace("Summer") },
  { intent: "describeProject", at: project, send: (actions) => actions.setText("description", "All of\nthe summer") },
  { intent: "createDesign", at: project, send: (actions) => actions.create("design", "Cover") },
  { intent: "renameDesign", send: (actions) => actions.renameInPlace("Front", "design") },
  { intent: "renameImage", at: design, withPictures: true, send: (actions) => actions.renameCard("image", "fig.jpg", "Figs") },
  { intent: "describeDesign", at: design, send: (actions) => actions.setText("description", "What one sees first") },
  { intent: "tagDesign", at: design, send: (actions) => actions.tag("Poster, final") },
  { intent: "untagDesign", at: design, send: (actions) => actions.untag("Poster") },
  { intent: "tagImage", at: image, send: (actions) => actions.tag("FINAL") },
  { intent: "untagImage", at: image, send: (actions) => actions.untag("final") },
  { intent: "captionImage", at: image, send: (actions) => actions.setText("caption", "Two figs on a plate") },
  {
    intent: "renameImage",
    at: image,
    async send(actions) {
      await actions.openDetails();
      await actions.renameInPlace("Many figs", "image");
    },
  },
  {
    intent: "rotateImage",
    at: image,
    async send(actions) {
      await actions.openDetails();
      await actions.press("Rotate right");
    },
  },
  {
    intent: "makeCurrent",
    at: image,
    withVersion: true,
    async send({ page }) {
      await page.getByText("Details", { exact: true }).click();
      await page.getByRole("button", { name: "Restore version 1" }).click();
    },
  },
  {
    intent: "removeImage",
    at: image,
    async send(actions) {
      await actions.deletePageItem("image");
      await actions.openAfter("Image moved to the trash", "/projects");
    },
  },
  { intent: "removeImage", at: design, send: (actions) => actions.removeCard("bank.png") },
  { intent: "renameDesign", at: project, send: (actions) => actions.renameCard("design", "Front", "Back") },
  { intent: "removeDesign", at: project, send: (actions) => actions.removeCard("Back") },
  { intent: "createDesign", send: (actions) => actions.create("design", "Inside") },
  { intent: "removeDesign", at: design, send: (actions) => actions.deletePageItem("design") },
  { intent: "renameProject", at: list, send: (actions) => actions.renameCard("project", "Summer", "Autumn") },
  { intent: "removeProject", send: (actions) => actions.removeCard("Autumn") },
  { intent: "createProject", send: (actions) => actions.create("project", "Winter") },
  { intent: "removeProject", send: (actions) => actions.deletePageItem("project") },
  { intent: "restore", at: trash, send: (actions) => actions.press("Restore: Winter") },
  {
    intent: "restoreInto",
    at: trash,
    async send(actions) {
      await actions.page.getByRole("link", { name: "Restore to…: Inside" }).click();
      await actions.moveTo("Winter");
    },
  },
  { intent: "restoreHere", at: ({ trashed }) => `/projects/${trashed}`, send: (actions) => actions.press("Restore") },
  { intent: "purge", at: trash, send: (actions) => actions.purge("image", "bank.png") },
  { intent: "emptyTrash", at: trash, send: (actions) => actions.emptyTrash() },
];

const organising: Step[] = [
  { intent: "createProject", at: list, send: (actions) => actions.create("project", "One") },
  { intent: "createDesign", send: (actions) => actions.create("design", "A") },
  { intent: "favouriteDesign", at: project, send: (actions) => actions.runCardAction("Add to favourites", "A") },
  { intent: "duplicateDesign", at: design, send: (actions) => actions.runPageAction("design", "Duplicate") },
  { intent: "orderDesign", at: (things) => `${project(things)}?sort=manual`, send: (actions) => actions.runCardAction("Move down", "A") },
  { intent: "duplicateImage", at: design, withPictures: true, send: (actions) => actions.runCardAction("Duplicate", "bank.png") },
  { intent: "orderImage", send: (actions) => actions.runCardAction("Move down", "fig.jpg") },
  { intent: "coverDesign", send: (actions) => actions.runCardAction("Use as design cover", "fig.jpg") },
  {
    intent: "coverProject",
    at: image,
    async send(actions) {
      await actions.openDetails();
      await actions.runPageAction("image", "Use as project cover");
    },
  },
  { intent: "latestCoverDesign", at: project, send: (actions) => actions.runCardAction("Reset cover", "A") },
  { intent: "latestCoverProject", at: list, send: (actions) => actions.runCardAction("Reset cover", "One") },
  { intent: "copyImages", at: (things) => `${image(things)}/move`, send: (actions) => actions.copyTo("A (copy)") },
  { intent: "moveImage", at: (things) => `${image(things)}/move`, send: (actions) => actions.moveTo("A (copy)") },
  { intent: "createProject", at: list, send: (actions) => actions.create("project", "Two") },
  { intent: "favouriteProject", at: list, send: (actions) => actions.runCardAction("Add to favourites", "One") },
  { intent: "duplicateProject", send: (actions) => actions.runCardAction("Duplicate", "Two") },
  { intent: "orderProject", at: () => "/projects?sort=manual", send: (actions) => actions.runCardAction("Move down", "One") },
  { intent: "copyDesigns", at: (things) => `${design(things)}/move`, copiesImages: true, send: (actions) => actions.copyTo("Two (copy)") },
  { intent: "moveDesign", at: (things) => `${design(things)}/move`, send: (actions) => actions.moveTo("Two (copy)") },
  { intent: "createDesign", at: project, send: (actions) => actions.create("design", "X") },
  { intent: "createDesign", at: project, send: (actions) => actions.create("design", "Y") },
  {
    intent: "moveImages",
    at: chooseIn(design),
    withPictures: true,
    async send(actions) {
      await actions.runOnSelected("Move to…", "fig.jpg", "bank.png");
      await actions.moveTo("X");
      await actions.openAfter("2 images moved", "/projects");
    },
  },
  { intent: "favouriteDesigns", at: chooseIn(project), send: (actions) => actions.runOnSelected("Favourite", "X", "Y") },
  {
    intent: "tagImages",
    at: chooseIn(designOfImage),
    send: (actions) => actions.tagSelected("Add", "Draft, final", "fig.jpg", "bank.png"),
  },
  {
    intent: "untagImages",
    at: chooseIn(designOfImage),
    send: (actions) => actions.tagSelected("Remove tag", "FINAL", "fig.jpg", "bank.png"),
  },
  { intent: "tagDesigns", at: chooseIn(project), send: (actions) => actions.tagSelected("Add", "Draft", "X", "Y") },
  { intent: "untagDesigns", at: chooseIn(project), send: (actions) => actions.tagSelected("Remove tag", "draft", "X", "Y") },
  { intent: "trashImages", at: chooseIn(designOfImage), send: (actions) => actions.runOnSelected("Move to trash", "fig.jpg", "bank.png") },
  {
    intent: "moveDesigns",
    at: chooseIn(project),
    async send(actions) {
      await actions.runOnSelected("Move to…", "X", "Y");
      await actions.moveTo("Two");
      await actions.openAfter("2 designs moved", "/projects");
    },
  },
  { intent: "trashDesigns", at: chooseIn(project), send: (actions) => actions.runOnSelected("Move to trash", "A (copy)") },
];

for (const [name, taken] of [
  ["every intent of every form", steps],
  ["every intent that puts things in order", organising],
] as const) {
  test(
    `${name} stores and shows the same with and without JavaScript`,
    { tag: ["@stores-shows-same-without-java-script", "@slow"] },
    async ({ app, person, stranger, otherBrowser }) => {
      test.setTimeout(300_000);
      const scripted = pageActions(await otherBrowser(person, { javaScriptEnabled: true }), true);
      const plain = pageActions(await otherBrowser(stranger, { javaScriptEnabled: false }), false);
      const timeZone = await scripted.page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
      await plain.page.context().addCookies([{ name: TIME_ZONE_COOKIE, value: timeZone, url: app.url }]);
      const [hers, others] = await Promise.all([observerOf(app, person), observerOf(app, stranger)]);
      for (const [index, step] of taken.entries()) {
        const [one, other] = await Promise.all([runStep(step, hers, app, person, scripted), runStep(step, others, app, stranger, plain)]);
        const message = `step ${index + 1}: ${step.intent}`;
        expect(other, message).toEqual(one);
        await expect(async () => expect(await shownBy(plain, stranger), message).toBe(await shownBy(scripted, person))).toPass({
          timeout: 60_000,
          intervals: [50, 100],
        });
      }
    },
  );
}

test("covers every intent", async () => {
  expect(describedIntents).toEqual([...new Set([...steps, ...organising].map(({ intent }) => intent))].toSorted());
});

async function runStep(
  { at, send, withPictures, withVersion, copiesImages }: Step,
  observe: Observe,
  app: RunningApp,
  person: Person,
  actions: PageActions,
) {
  const { things, stored } = await observe();
  if (withPictures) await addPictures(app, person, things.design, ["fig", "bank"]);
  if (withVersion) await addVersion(app, person, things.design, things.image, "path");
  const before = withPictures || withVersion ? (await observe()).stored : stored;
  if (at) await actions.open(at(things));
  else await actions.ready();
  await send(actions);
  await expect.poll(async () => (await observe()).stored, { intervals: [50, 100] }).not.toEqual(before);
  await expect(actions.page.getByRole("dialog")).toHaveCount(0);
  if (copiesImages) {
    await expect.poll(async () => imagesIn((await observe()).stored), { intervals: [50, 100] }).toBeGreaterThan(imagesIn(before));
    await expect(actions.page).not.toHaveURL(/\/move$/);
    await actions.page.reload();
    await actions.ready();
  }
  return (await observe()).stored;
}

const imagesIn = (stored: unknown): number => JSON.stringify(stored).split(" wide, ").length;

async function shownBy({ page }: PageActions, { name }: Person): Promise<string> {
  await page.waitForLoadState();
  const main = page.getByRole("main");
  const [headings, things] = await Promise.all([main.getByRole("heading").allInnerTexts(), main.getByRole("listitem").allInnerTexts()]);
  return anonymous([new URL(page.url()).pathname, ...headings, ...things].join("\n").replaceAll(name, "NAME"));
}

type Observe = Awaited<ReturnType<typeof observerOf>>;

async function observerOf(app: RunningApp, person: Person) {
  const newClient = await clientsOf(app, person);
  const withImages = async (
    convex: ConvexHttpClient,
    { _id, name, description, tags, favourite, coverChosen }: FunctionReturnType<typeof api.designs.getDesignById>,
  ) => {
    const images = await convex.consistentQuery(api.designImages.getDesignImagesByDesignId, { designId: _id });
    const shown = images.map((one) => `${one.name}, ${one.width} wide, ${one.caption}, ${one.tags?.join()}`);
    return {
      id: _id,
      first: images.find((one) => one.name.toLowerCase().includes("fig"))?._id,
      stored: { name, description, tags, favourite, coverChosen, images: shown },
    };
  };
  return async () => {
    const convex = newClient();
    const [projects, manual, trash] = await Promise.all([
      convex.consistentQuery(api.projects.getProjects, {}),
      convex.consistentQuery(api.projects.getProjects, { sort: "manual" }),
      convex.consistentQuery(api.trash.getTrash, {}),
    ]);
    const things: TestData = {
      project: projects[0]?._id ?? "",
      design: "",
      designOfImage: "",
      image: "",
      trashed: trash.projects[0]?._id ?? "",
    };
    const within = await Promise.all(
      projects.map(async ({ _id: projectId }) => {
        const [designs, inOrder] = await Promise.all([
          convex.consistentQuery(api.designs.getDesignsByProjectId, { projectId }),
          convex.consistentQuery(api.designs.getDesignsByProjectId, { projectId, sort: "manual" }),
        ]);
        return { designs: await Promise.all(designs.map((design) => withImages(convex, design))), order: inOrder.map(({ name }) => name) };
      }),
    );
    const all = within.flatMap(({ designs }) => designs);
    things.design = all[0]?.id ?? "";
    const withImage = all.find(({ first }) => first !== undefined);
    things.designOfImage = withImage?.id ?? "";
    things.image = withImage?.first ?? "";
    const stored = projects.map(({ name, description, designCount, imageCount, favourite, coverChosen }, index) => {
      const { designs = [], order = [] } = within[index] ?? {};
      return { name, description, designCount, imageCount, favourite, coverChosen, designs: designs.map((design) => design.stored), order };
    });
    const trashed = Object.values(trash).map((items) => items.map(({ name }) => name));
    return { stored: [stored, manual.map(({ name }) => name), trashed], things };
  };
}

const anonymous = (text: string) => text.replaceAll(/[a-z0-9]{32}/g, "ID").replaceAll(/just now|\d+ (second|minute)s? ago/g, "NOW");
