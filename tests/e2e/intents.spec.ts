import type { ConvexHttpClient } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { api } from "../../convex/_generated/api.js";
import { expect, type Person, type RunningApp, test } from "../harness/test.ts";
import { describedIntents } from "./described-intents.ts";
import { type Hands, hands } from "./hands.ts";
import { addPictures, addVersion, clientsOf } from "./pictures.ts";

/** What the steps work on: the newest project, its newest design, that design's first image. */
type Things = { project: string; design: string; image: string; trashed: string };

type Step = {
  intent: string;
  /** The page whose form it is; left out: the one that the step before has led to. */
  at?: (things: Things) => string;
  send: (her: Hands) => Promise<void>;
  /** Puts pictures into the design first, which no intent does. */
  withPictures?: boolean;
  /** Gives the image a second version first, which comes as a file and is no intent. */
  withVersion?: boolean;
};

const list = () => "/projects";
const trash = () => "/trash";
const project = ({ project }: Things) => `/projects/${project}`;
const design = ({ design }: Things) => `/design/${design}`;
const image = ({ design, image }: Things) => `/design/${design}/images/${image}`;

const chooseIn = (page: (things: Things) => string) => (things: Things) => `${page(things)}?select=1`;

/** Every form that carries an intent, on every page that has it, in an order in which each has something to do. */
const steps: Step[] = [
  { intent: "createProject", at: list, send: (her) => her.create("project", "Spring") },
  { intent: "renameProject", send: (her) => her.renameInPlace("Summer") },
  { intent: "describeProject", at: project, send: (her) => her.tell("description", "All of\nthe summer") },
  { intent: "createDesign", at: project, send: (her) => her.create("design", "Cover") },
  { intent: "renameDesign", send: (her) => her.renameInPlace("Front", "design") },
  { intent: "renameImage", at: design, withPictures: true, send: (her) => her.renameCard("image", "fig.jpg", "Figs") },
  { intent: "describeDesign", at: design, send: (her) => her.tell("description", "What one sees first") },
  { intent: "tagDesign", at: design, send: (her) => her.tag("Poster, final") },
  { intent: "untagDesign", at: design, send: (her) => her.untag("Poster") },
  { intent: "tagImage", at: image, send: (her) => her.tag("FINAL") },
  { intent: "untagImage", at: image, send: (her) => her.untag("final") },
  { intent: "captionImage", at: image, send: (her) => her.tell("caption", "Two figs on a plate") },
  {
    intent: "renameImage",
    at: image,
    async send(her) {
      // Without scripts what comes as the answer to a form has its facts unfolded.
      await her.openFacts();
      await her.renameInPlace("Many figs", "image");
    },
  },
  {
    intent: "makeCurrent",
    at: image,
    withVersion: true,
    async send({ page }) {
      await page.getByText("Facts", { exact: true }).click();
      await page.getByRole("button", { name: "Make version 1 current" }).click();
    },
  },
  { intent: "removeImage", at: image, send: (her) => her.removeHere("image") },
  { intent: "removeImage", send: (her) => her.removeCard("image", "bank.png") },
  { intent: "renameDesign", at: project, send: (her) => her.renameCard("design", "Front", "Back") },
  { intent: "removeDesign", at: project, send: (her) => her.removeCard("design", "Back") },
  { intent: "createDesign", send: (her) => her.create("design", "Inside") },
  { intent: "removeDesign", at: design, send: (her) => her.removeHere("design") },
  { intent: "renameProject", at: list, send: (her) => her.renameCard("project", "Summer", "Autumn") },
  { intent: "removeProject", send: (her) => her.removeCard("project", "Autumn") },
  { intent: "createProject", send: (her) => her.create("project", "Winter") },
  { intent: "removeProject", send: (her) => her.removeHere("project") },
  { intent: "restore", at: trash, send: (her) => her.press("Restore: Winter") },
  {
    intent: "restoreInto",
    at: trash,
    async send(her) {
      await her.page.getByRole("link", { name: "Restore elsewhere: Inside" }).click();
      await her.moveTo("Winter");
    },
  },
  { intent: "restoreHere", at: ({ trashed }) => `/projects/${trashed}`, send: (her) => her.press("Restore") },
  { intent: "purge", at: trash, send: (her) => her.purge("image", "bank.png") },
  { intent: "emptyTrash", at: trash, send: (her) => her.emptyTrash() },
];

/** What puts things in order; from an empty account too. */
const organising: Step[] = [
  { intent: "createProject", at: list, send: (her) => her.create("project", "One") },
  { intent: "createDesign", send: (her) => her.create("design", "A") },
  { intent: "favouriteDesign", at: project, send: (her) => her.act("Favourite", "A") },
  { intent: "duplicateDesign", at: design, send: (her) => her.actHere("design", "Duplicate") },
  { intent: "orderDesign", at: (things) => `${project(things)}?sort=manual`, send: (her) => her.act("Move down", "A") },
  { intent: "duplicateImage", at: design, withPictures: true, send: (her) => her.act("Duplicate", "bank.png") },
  { intent: "orderImage", send: (her) => her.act("Move down", "fig.jpg") },
  { intent: "coverDesign", send: (her) => her.act("Use as design cover", "fig.jpg") },
  {
    intent: "coverProject",
    at: image,
    async send(her) {
      // As above: what comes as the answer to a form has its facts unfolded.
      await her.openFacts();
      await her.actHere("image", "Use as project cover");
    },
  },
  { intent: "latestCoverDesign", at: project, send: (her) => her.act("Latest images as cover", "A") },
  { intent: "latestCoverProject", at: list, send: (her) => her.act("Latest images as cover", "One") },
  { intent: "moveImage", at: (things) => `${image(things)}/move`, send: (her) => her.moveTo("A (copy)") },
  { intent: "createProject", at: list, send: (her) => her.create("project", "Two") },
  { intent: "favouriteProject", at: list, send: (her) => her.act("Favourite", "One") },
  { intent: "duplicateProject", send: (her) => her.act("Duplicate", "Two") },
  { intent: "orderProject", at: () => "/projects?sort=manual", send: (her) => her.act("Move down", "One") },
  { intent: "moveDesign", at: (things) => `${design(things)}/move`, send: (her) => her.moveTo("Two (copy)") },
  { intent: "createDesign", at: project, send: (her) => her.create("design", "X") },
  { intent: "createDesign", at: project, send: (her) => her.create("design", "Y") },
  {
    intent: "moveImages",
    at: chooseIn(design),
    withPictures: true,
    async send(her) {
      await her.withChosen("Move to…", "fig.jpg", "bank.png");
      await her.moveTo("X");
    },
  },
  { intent: "favouriteDesigns", at: chooseIn(project), send: (her) => her.withChosen("Favourite", "X", "Y") },
  {
    intent: "tagImages",
    at: chooseIn(design),
    send: (her) => her.tagChosen("Add", "Draft, final", "fig.jpg", "bank.png"),
  },
  { intent: "untagImages", at: chooseIn(design), send: (her) => her.tagChosen("Take off", "FINAL", "fig.jpg", "bank.png") },
  { intent: "tagDesigns", at: chooseIn(project), send: (her) => her.tagChosen("Add", "Draft", "X", "Y") },
  { intent: "untagDesigns", at: chooseIn(project), send: (her) => her.tagChosen("Take off", "draft", "X", "Y") },
  { intent: "trashImages", at: chooseIn(design), send: (her) => her.withChosen("Move to trash", "fig.jpg", "bank.png") },
  {
    intent: "moveDesigns",
    at: chooseIn(project),
    async send(her) {
      await her.withChosen("Move to…", "X", "Y");
      await her.moveTo("Two");
    },
  },
  { intent: "trashDesigns", at: chooseIn(project), send: (her) => her.withChosen("Move to trash", "A (copy)") },
];

for (const [name, taken] of [
  ["every intent of every form", steps],
  ["every intent that puts things in order", organising],
] as const) {
  test(`${name} stores and shows the same, with JavaScript and without`, async ({ app, person, stranger, otherBrowser }) => {
    test.setTimeout(300_000);
    const scripted = hands(await otherBrowser(person, { javaScriptEnabled: true }), true);
    const plain = hands(await otherBrowser(stranger, { javaScriptEnabled: false }), false);
    const [hers, others] = await Promise.all([lookerAt(app, person), lookerAt(app, stranger)]);
    for (const [index, step] of taken.entries()) {
      const [one, other] = await Promise.all([take(step, hers, app, person, scripted), take(step, others, app, stranger, plain)]);
      const told = `step ${index + 1}: ${step.intent}`;
      expect(other, told).toEqual(one);
      // Each page has its own pace; in the end both show the same.
      await expect(async () => expect(await shownBy(plain, stranger), told).toBe(await shownBy(scripted, person))).toPass({
        timeout: 60_000,
        intervals: [50, 100],
      });
    }
  });
}

test("the test above sends every intent that there is", async () => {
  expect(await describedIntents()).toEqual([...new Set([...steps, ...organising].map(({ intent }) => intent))].toSorted());
});

/** Takes a step: what is then stored. */
async function take({ at, send, withPictures, withVersion }: Step, look: Look, app: RunningApp, person: Person, her: Hands) {
  const { things, stored } = await look();
  if (withPictures) await addPictures(app, person, things.design, ["fig", "bank"]);
  if (withVersion) await addVersion(app, person, things.design, things.image, "path");
  const before = withPictures || withVersion ? (await look()).stored : stored;
  if (at) await her.open(at(things));
  else await her.ready();
  await send(her);
  await expect.poll(async () => (await look()).stored, { intervals: [50, 100] }).not.toEqual(before);
  await expect(her.page.getByRole("dialog")).toHaveCount(0);
  return (await look()).stored;
}

/** Where the page is, its headings and the things on it. (How files are sent differs by nature.) */
async function shownBy({ page }: Hands, { name }: Person): Promise<string> {
  await page.waitForLoadState();
  const main = page.getByRole("main");
  const [headings, things] = await Promise.all([main.getByRole("heading").allInnerTexts(), main.getByRole("listitem").allInnerTexts()]);
  return anonymous([new URL(page.url()).pathname, ...headings, ...things].join("\n").replaceAll(name, "NAME"));
}

type Look = Awaited<ReturnType<typeof lookerAt>>;

/** Looks at what the deployment holds for somebody. */
async function lookerAt(app: RunningApp, person: Person) {
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
    // All of it as it was at one time.
    const convex = newClient();
    const [projects, byHand, trash] = await Promise.all([
      convex.consistentQuery(api.projects.getProjects, {}),
      convex.consistentQuery(api.projects.getProjects, { sort: "manual" }),
      convex.consistentQuery(api.trash.getTrash, {}),
    ]);
    const things: Things = { project: projects[0]?._id ?? "", design: "", image: "", trashed: trash.projects[0]?._id ?? "" };
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
    things.image = all.find(({ first }) => first !== undefined)?.first ?? "";
    const stored = projects.map(({ name, description, designCount, imageCount, favourite, coverChosen }, index) => {
      const { designs = [], order = [] } = within[index] ?? {};
      return { name, description, designCount, imageCount, favourite, coverChosen, designs: designs.map((design) => design.stored), order };
    });
    const trashed = Object.values(trash).map((items) => items.map(({ name }) => name));
    return { stored: [stored, byHand.map(({ name }) => name), trashed], things };
  };
}

const anonymous = (text: string) => text.replaceAll(/[a-z0-9]{32}/g, "ID").replaceAll(/just now|\d+ (second|minute)s? ago/g, "NOW");
