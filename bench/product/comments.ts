import { ConvexClient } from "convex/browser";
import { randomUUID } from "node:crypto";
import { api } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.d.ts";
import type { Backend, Person } from "../../tests/convex/backends.ts";
import { startTestDeployment, type TestDeployment } from "../../tests/convex/deployment.ts";
import { embeddedOn } from "../../tests/convex/embedded.ts";
import { probe } from "../../tests/convex/probe-references.ts";
import { insertImages, insertPerson } from "../image-rows.ts";
import { atMost, type Figure, median } from "../report.ts";

const FEW = { comments: 500, links: 100, members: 100 };
const MANY = { comments: 10_000, links: 1000, members: 1000 };
const ROUNDS = 25;
const BATCH = 50;

const SAME_CLASS = 1.5;

type Timed = Record<"panel" | "add" | "received", number[]>;

export async function comments(): Promise<Figure[]> {
  const deployment = await startTestDeployment();
  const backend = embeddedOn(deployment);
  try {
    const few = await measureComments(deployment, backend, "Few", FEW.comments);
    const many = await measureComments(deployment, backend, "Many", MANY.comments);
    const links = await measureLinks(backend);
    const members = await measureMembers(backend);
    const compared = (name: string, now: number[], before: number[], of: keyof typeof MANY) => {
      const count = MANY[of].toLocaleString("en");
      return [
        { name: `${name}, ${FEW[of]} and ${count}`, value: `${median(before).toFixed(1)} and ${median(now).toFixed(1)} ms` },
        atMost(`${name}, ${count} ÷ ${FEW[of]}`, median(now) / median(before), SAME_CLASS, ""),
      ];
    };
    return [
      ...compared("threads and pins of the viewer's panel", many.panel, few.panel, "comments"),
      ...compared("adding a comment", many.add, few.add, "comments"),
      ...compared("a comment until it reaches a second client", many.received, few.received, "comments"),
      ...compared("the first page of public links", links.many, links.few, "links"),
      ...compared("the list of members", members.many.list, members.few.list, "members"),
      ...compared("a comment in a project with members", members.many.comment, members.few.comment, "members"),
    ];
  } finally {
    await backend.close();
  }
}

async function measureComments(deployment: TestDeployment, backend: Backend, name: string, count: number): Promise<Timed> {
  const person = await insertPerson(backend, name);
  const imageId = await newImage(backend, person);
  await insertThreads(backend, imageId, count);
  const paginationOpts = { cursor: null, numItems: 20 };
  const listed = { itemId: imageId, filter: "open" as const, paginationOpts };
  const times: Timed = { panel: [], add: [], received: [] };
  const reader = await openClient(deployment, person);
  let received = Promise.withResolvers<void>();
  let awaited = "";
  reader.onUpdate(api.comments.listThreads, listed, ({ page }) => {
    if (awaited === "" || page.some(({ first }) => first.text === awaited)) received.resolve();
  });
  await received.promise;
  for (let round = 0; round < ROUNDS; round++) {
    awaited = `Comment ${round}`;
    received = Promise.withResolvers();
    const added = performance.now();
    await person.mutation(api.comments.startThread, { itemId: imageId, text: awaited, anchor: { x: 0.5, y: 0.5 }, key: randomUUID() });
    times.add.push(performance.now() - added);
    await received.promise;
    times.received.push(performance.now() - added);
    const opened = performance.now();
    await Promise.all([
      person.query(api.comments.listThreads, { ...listed, paginationOpts: { cursor: null, numItems: 21 } }),
      person.query(api.comments.listPins, { itemId: imageId }),
    ]);
    times.panel.push(performance.now() - opened);
  }
  await reader.close();
  return times;
}

async function openClient(deployment: TestDeployment, { userId, sessionId }: Person): Promise<ConvexClient> {
  const client = new ConvexClient(deployment.url, { skipConvexDeploymentUrlCheck: true, logger: false });
  client.setAuth(() => deployment.token({ sub: userId, aud: "atelier-user", sessionId }));
  return client;
}

async function newImage(backend: Backend, person: Person): Promise<Id<"designImages">> {
  const projectId = await person.mutation(api.projects.create, { name: "Commented" });
  const designId = await person.mutation(api.designs.create, { projectId, name: "Images" });
  await insertImages(backend, person, designId, 1, () => ({ name: "image" }));
  const [image] = await person.query(api.designImages.getDesignImagesByDesignId, { designId });
  if (!image) throw new Error("The image is missing.");
  return image._id;
}

async function insertThreads(backend: Backend, itemId: string, count: number): Promise<void> {
  const at = Date.now() - 3_600_000;
  for (let from = 0; from < count; from += BATCH) {
    const places = Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => from + place);
    const rows = await Promise.all(
      places.map(async (place) => {
        const written = { authorId: `author ${itemId}`, key: String(place) };
        const anchor = { x: (place % 100) / 100, y: (place % 77) / 77 };
        const thread = { ...written, itemId, anchor, versionNumber: 1, lastAt: at + place, commentCount: 1 };
        const threadId = await backend.inside.mutation(probe.insert, { table: "commentThreads", row: thread });
        return { ...written, threadId, isReply: false, text: `Comment ${place}`, createdAt: at + place, mentions: [] };
      }),
    );
    await backend.inside.mutation(probe.insertMany, { table: "comments", rows });
  }
  const fields = { lastCommentAt: at + count, openThreadCount: count };
  await backend.inside.mutation(probe.patch, { table: "designImages", id: itemId, fields });
}

async function measureLinks(backend: Backend): Promise<{ few: number[]; many: number[] }> {
  const person = await insertPerson(backend, "Links");
  const [few, many] = [await linkedProject(backend, person, FEW.links), await linkedProject(backend, person, MANY.links)];
  const times = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < ROUNDS; round++)
    for (const [size, projectId] of [
      ["few", few],
      ["many", many],
    ] as const) {
      await person.mutation(api.projects.rename, { id: projectId, name: `Links ${round}` });
      const began = performance.now();
      await person.query(api.links.list, { projectId, paginationOpts: { cursor: null, numItems: 50 } });
      times[size].push(performance.now() - began);
    }
  return times;
}

type MemberTimes = Record<"list" | "comment", number[]>;

async function measureMembers(backend: Backend): Promise<Record<"few" | "many", MemberTimes>> {
  const person = await insertPerson(backend, "Members");
  const projects = {
    few: await projectWithMembers(backend, person, FEW.members),
    many: await projectWithMembers(backend, person, MANY.members),
  };
  const times = { few: { list: [], comment: [] } as MemberTimes, many: { list: [], comment: [] } as MemberTimes };
  for (let round = 0; round < ROUNDS / 2; round++)
    for (const size of ["few", "many"] as const) {
      const { projectId, imageId } = projects[size];
      const commented = performance.now();
      await person.mutation(api.comments.startThread, { itemId: imageId, text: `Comment ${round}`, key: randomUUID() });
      times[size].comment.push(performance.now() - commented);
      await backend.settle();
      await person.mutation(api.projects.rename, { id: projectId, name: `Members ${round}` });
      const listed = performance.now();
      await person.query(api.members.list, { projectId, paginationOpts: { cursor: null, numItems: 50 } });
      times[size].list.push(performance.now() - listed);
    }
  return times;
}

async function projectWithMembers(backend: Backend, person: Person, count: number) {
  const imageId = await newImage(backend, person);
  const { designId } = (await person.query(api.designImages.getDesignImageInPlace, { id: imageId })).image;
  const { projectId } = await person.query(api.designs.getDesignById, { id: designId });
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => ({
      projectId,
      userId: `${projectId} member ${from + place}`,
      role: "viewer",
      addedAt: from + place,
      addedBy: person.userId,
    }));
    await backend.inside.mutation(probe.insertMany, { table: "projectMembers", rows });
  }
  return { projectId, imageId };
}

async function linkedProject(backend: Backend, person: Person, count: number): Promise<Id<"projects">> {
  const projectId = await person.mutation(api.projects.create, { name: "Linked" });
  const link = { projectId, itemId: projectId, kind: "comment", name: "A link", downloads: false, lock: 0, createdBy: person.userId };
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => ({
      ...link,
      tokenHash: `${projectId} ${from + place}`,
      sealedToken: "sealed",
      createdAt: from + place,
    }));
    await backend.inside.mutation(probe.insertMany, { table: "links", rows });
  }
  return projectId;
}
