import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Person, probe, signUp } from "../../../tests/convex/backends.ts";
import { addImage, addPdf, addVersion } from "../../../tests/convex/pictures.ts";
import { seeded } from "../../../tests/convex/seeded.ts";
import { addMember } from "../../../tests/convex/shared-project.ts";
import { api, internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import { refusalOf } from "../errors";
import { bytesIn, bytesOfFile } from "./imageBytes";

const STEPS = 81;

type Rows = { projects: Doc<"projects">[]; designs: Doc<"designs">[]; images: Doc<"designImages">[]; versions: Doc<"imageVersions">[] };

describe.each(backends)("bytes of projects on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  async function rowsOf(...people: Person[]): Promise<Rows> {
    const owners = new Set(people.map(({ userId }) => userId));
    const rows = async <Row>(table: string) => {
      const all = await backend.inside.query(probe.rows, { table });
      return all.filter(({ ownerId }) => owners.has(String(ownerId))) as Row[];
    };
    return {
      projects: await rows("projects"),
      designs: await rows("designs"),
      images: await rows("designImages"),
      versions: await rows("imageVersions"),
    };
  }

  it.each([1, 2])(
    "equal the sum of their images after each of many changes (seed %i)",
    { tags: ["@bytes-of-projects-equal-sum", "slow"], timeout: 300_000 },
    async (seed) => {
      const random = seeded(seed);
      const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
      const [ada, eve] = [await signUp(backend, "ada"), await signUp(backend, "eve")];
      const name = () => "x".repeat(1 + Math.floor(random() * 40));
      const newProject = (person: Person) => person.mutation(api.projects.create, { name: name() });
      const newDesign = (person: Person, projectId: string) => person.mutation(api.designs.create, { projectId, name: name() });
      const [first, second, own] = [await newProject(ada), await newProject(ada), await newProject(eve)];
      for (const id of [first, second]) await addMember(backend, id, eve, "editor");
      await addMember(backend, own, ada, "editor");
      const designs = [await newDesign(ada, first), await newDesign(ada, second), await newDesign(eve, own)];
      for (const id of designs) await addImage(backend, ada, id, name());
      const noDesign = await newDesign(ada, first);
      const { id: noImage } = await addImage(backend, ada, noDesign, name());
      await ada.mutation(api.designImages.moveToTrash, { id: noImage });
      await ada.mutation(api.designs.moveToTrash, { id: noDesign });
      for (const id of [noImage, noDesign]) await ada.mutation(api.trash.purge, { id });
      await backend.settle();

      const steps: string[] = [];
      const done = new Map<string, number>();
      for (let index = 0; index < STEPS; index++) {
        const rows = await rowsOf(ada, eve);
        const person = random() < 0.7 ? ada : eve;
        const step = `step ${index}`;
        const shown = shownOf(rows);
        const [image, other] = [pick(shown.images)?._id ?? noImage, pick(shown.images)?._id ?? noImage];
        const [design, otherDesign] = [pick(shown.designs)?._id ?? noDesign, pick(shown.designs)?._id ?? noDesign];
        const project = pick(shown.projects)?._id ?? "none";
        const trashed = pick([...rows.images, ...rows.designs, ...rows.projects].filter(({ removedAt }) => removedAt !== undefined))?._id;
        const images = [image, other];
        const undoable = <Args extends object>(args: Args) => ({ ...args, step });
        const changes: Record<string, () => Promise<unknown>> = {
          "add an image": () => addImage(backend, person, design, name()),
          "add a PDF": () => addPdf(backend, person, design, name(), 3),
          "add a version": () => addVersion(backend, person, image, name()),
          "choose a version": () =>
            person.mutation(api.versions.makeCurrent, { imageId: image, versionId: pick(rows.versions)?._id ?? "none" }),
          "rotate an image": () => person.mutation(api.designImages.rotate, undoable({ id: image, direction: "left" as const })),
          "add a design": () => newDesign(person, project),
          "duplicate an image": () => person.mutation(api.designImages.duplicate, undoable({ id: image })),
          "duplicate a design": () => person.mutation(api.designs.duplicate, undoable({ id: design })),
          "duplicate a project": () => person.mutation(api.projects.duplicate, undoable({ id: project })),
          "copy images": () => person.mutation(api.many.copyImages, undoable({ ids: images, designId: otherDesign })),
          "copy designs": () => person.mutation(api.many.copyDesigns, undoable({ ids: [design], projectId: project })),
          "move images": () => person.mutation(api.designImages.move, undoable({ ids: images, designId: otherDesign })),
          "move a design": () => person.mutation(api.designs.move, undoable({ id: design, projectId: project })),
          "move designs": () => person.mutation(api.many.moveDesigns, undoable({ ids: [design, otherDesign], projectId: project })),
          "trash an image": () => person.mutation(api.designImages.moveToTrash, undoable({ id: image })),
          "trash images": () => person.mutation(api.many.trashImages, undoable({ ids: images })),
          "trash a design": () => person.mutation(api.designs.moveToTrash, undoable({ id: design })),
          "trash designs": () => person.mutation(api.many.trashDesigns, undoable({ ids: [design, otherDesign] })),
          "trash a project": () => person.mutation(api.projects.moveToTrash, undoable({ id: project })),
          "trash images in a job": () =>
            person.mutation(api.bulk.start, { kind: "image", action: { type: "trash" }, ids: images, step: `job ${index}` }),
          restore: () => person.mutation(api.trash.restore, { id: trashed ?? "none", withPlace: true }),
          "restore several": () => person.mutation(api.many.restore, { ids: [trashed ?? "none"] }),
          "restore elsewhere": () =>
            person.mutation(api.trash.restore, {
              id: pick(rows.images.filter(({ removedAt }) => removedAt !== undefined))?._id ?? "none",
              into: otherDesign,
            }),
          purge: () => person.mutation(api.trash.purge, { id: trashed ?? "none" }),
          undo: () => person.mutation(api.undo.revert, { step: steps.at(-1) ?? "none" }),
          "undo an earlier step": () => person.mutation(api.undo.revert, { step: pick(steps) ?? "none" }),
          "transfer a project": () => transfer(ada, eve, first),
        };
        const kinds = Object.keys(changes);
        const kind = kinds[(index * 7) % kinds.length] ?? "";
        const isDone = await succeeds(changes[kind]?.());
        if (isDone) done.set(kind, (done.get(kind) ?? 0) + 1);
        if (isDone) steps.push(step);
        await backend.settle();
        expectSums(await rowsOf(ada, eve), `step ${index}: ${kind}`);
      }
      expect(done.size, [...done.keys()].join()).toBeGreaterThan(12);
      expect((await rowsOf(ada, eve)).images.every(({ bytes }) => bytes !== undefined)).toBe(true);
    },
  );

  async function transfer(from: Person, to: Person, projectId: Id<"projects">): Promise<void> {
    const server = await appServer(backend);
    await server.mutation(api.transfers.offer, { sessionId: from.sessionId, projectId, userId: to.userId });
    const [offered] = await to.query(api.transfers.listOffered, {});
    await to.mutation(api.transfers.accept, { transferId: offered?._id ?? "" });
  }

  it("are counted once for images of earlier builds, also during changes", { tags: "@bytes-of-earlier-images" }, async () => {
    const ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Project" });
    const [shown, trashedDesign] = [
      await ada.mutation(api.designs.create, { projectId, name: "Shown" }),
      await ada.mutation(api.designs.create, { projectId, name: "Trashed" }),
    ];
    const ids = [];
    for (const designId of [shown, shown, shown, trashedDesign]) {
      for (const text of ["a", "longer"]) ids.push((await addImage(backend, ada, designId, text)).id);
    }
    await addVersion(backend, ada, ids[0] as Id<"designImages">, "second version");
    await ada.mutation(api.designImages.moveToTrash, { id: ids[1] as string });
    await ada.mutation(api.designs.moveToTrash, { id: trashedDesign });
    await backend.settle();

    const before = await rowsOf(ada);
    for (const table of ["projects", "designs", "designImages"] as const) {
      for (const row of table === "designImages" ? before.images : before[table]) {
        const { _id, _creationTime: _, bytes: __, ...rest } = row;
        await backend.inside.mutation(probe.replace, { table, id: _id, row: rest });
      }
    }
    for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades", field: "name", value: "bytes of images" }))
      await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });

    const [, , moved, removed, versioned] = ids as Id<"designImages">[];
    await ada.mutation(api.designImages.moveToTrash, { id: removed ?? "" });
    await addVersion(backend, ada, versioned as Id<"designImages">, "a version before the upgrade");
    const elsewhere = await ada.mutation(api.projects.create, { name: "Elsewhere" });
    const target = await ada.mutation(api.designs.create, { projectId: elsewhere, name: "Target" });
    await ada.mutation(api.designImages.move, { ids: [moved ?? ""], designId: target });
    await addImage(backend, ada, target, "new");
    expectSums(await rowsOf(ada), "before the upgrade");

    await backend.inside.mutation(internal.jobs.upgrade.bytes, { cursor: null });
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    await backend.inside.mutation(internal.jobs.upgrade.bytes, { cursor: null });
    await backend.settle();
    const after = await rowsOf(ada);
    expectSums(after, "after the upgrade");
    expect(after.images.every(({ bytes }) => bytes !== undefined)).toBe(true);
    expect(after.projects.every(({ bytes = 0 }) => bytes > 0)).toBe(true);
  });
});

async function succeeds(change: Promise<unknown> | undefined): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (refusalOf(error)) return false;
    throw error;
  }
}

function shownOf({ projects, designs, images }: Rows): Pick<Rows, "projects" | "designs" | "images"> {
  const isShown = ({ removedAt }: { removedAt?: number }) => removedAt === undefined;
  const shownProjects = projects.filter(isShown);
  const shownDesigns = designs.filter((row) => isShown(row) && shownProjects.some(({ _id }) => _id === row.projectId));
  const shownImages = images.filter((row) => isShown(row) && shownDesigns.some(({ _id }) => _id === row.designId));
  return { projects: shownProjects, designs: shownDesigns, images: shownImages };
}

function expectSums({ projects, designs, images, versions }: Rows, when: string): void {
  for (const { _id, versionId, bytes, ...file } of images.filter((row) => row.bytes !== undefined)) {
    const files = versionId === undefined ? [file] : versions.filter(({ imageId }) => imageId === _id);
    expect(bytes, `image ${_id} after ${when}`).toBe(files.reduce((sum, each) => sum + bytesOfFile(each), 0));
  }
  for (const { _id, bytes = 0, imageCount } of designs.filter(isKept)) {
    const inside = images.filter(({ designId, removedAt }) => designId === _id && removedAt === undefined);
    expect(bytes, `design ${_id} after ${when}`).toBe(bytesIn(inside));
    expect(imageCount, `images of design ${_id} after ${when}`).toBe(inside.length);
  }
  for (const { _id, bytes = 0 } of projects.filter(isKept)) {
    const inside = designs.filter(({ projectId, removedAt }) => projectId === _id && removedAt === undefined);
    expect(bytes, `project ${_id} after ${when}`).toBe(bytesIn(inside));
  }
}

const isKept = ({ purgingSince }: { purgingSince?: number }): boolean => purgingSince === undefined;
