import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertTransfer } from "../tests/convex/access-arguments.ts";
import { type Backend, backends, probe } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { api } from "./_generated/api";

type Shared = Awaited<ReturnType<typeof shareProject>> & { backend: Backend };
type Scenario = { end: (shared: Shared) => Promise<unknown>; back?: (shared: Shared) => Promise<unknown> };

const SCENARIOS: Record<string, Scenario> = {
  "is trashed with its design": {
    end: ({ ada, design }) => ada.mutation(api.designs.moveToTrash, { id: design }),
    back: ({ ada, design }) => ada.mutation(api.trash.restore, { id: design }),
  },
  "is trashed with its design as a step": {
    end: ({ ada, design }) => ada.mutation(api.many.trashDesigns, { ids: [design], step: "a step" }),
    back: ({ ada }) => ada.mutation(api.undo.revert, { step: "a step" }),
  },
  "is trashed with its project": {
    end: ({ ada, project }) => ada.mutation(api.projects.moveToTrash, { id: project }),
    back: ({ ada, project }) => ada.mutation(api.trash.restore, { id: project }),
  },
  "moves with its design to a private project": {
    end: async ({ ada, design }) => {
      const projectId = await ada.mutation(api.projects.create, { name: "Private" });
      await ada.mutation(api.designs.move, { id: design, projectId });
    },
    back: ({ ada, design, project }) => ada.mutation(api.designs.move, { id: design, projectId: project }),
  },
  "moves alone to a private project": {
    end: async ({ ada, image }) => {
      const projectId = await ada.mutation(api.projects.create, { name: "Private" });
      const designId = await ada.mutation(api.designs.create, { projectId, name: "Private" });
      await ada.mutation(api.designImages.move, { ids: [image], designId });
    },
  },
  "is deleted permanently with its project": {
    end: async ({ ada, project }) => {
      await ada.mutation(api.projects.moveToTrash, { id: project });
      await ada.mutation(api.trash.purge, { id: project });
    },
  },
};

describe.each(backends)("copies of access fields on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const share = async () => ({ ...(await shareProject(backend, "viewer")), backend });
  const copies = async ({ project, design }: Shared) => [
    ...(await rowsOf(backend, "projectAccess", "projectId", project)),
    ...(await rowsOf(backend, "designAccess", "designId", design)),
  ];
  const visible = ({ eve, image }: Shared) =>
    Promise.all([
      eve.query(api.designImages.getDesignImageInPlace, { id: image }),
      eve.query(api.versions.getVersions, { imageId: image }),
      eve.query(api.versions.getImageVersion, { imageId: image }),
      eve.query(api.reviews.getReview, { id: image }),
    ]);
  const hidden = ({ eve, image }: Shared) =>
    Promise.all([
      refused(eve.query(api.designImages.getDesignImageInPlace, { id: image })),
      refused(eve.query(api.versions.getVersions, { imageId: image })),
      refused(eve.query(api.versions.getImageVersion, { imageId: image })),
      refused(eve.query(api.reviews.getReview, { id: image })),
    ]);
  const notFound = Array.from({ length: 4 }, () => ({ code: "not_found" }));

  it.each(Object.keys(SCENARIOS))("hides an image that %s", async (name) => {
    const shared = await share();
    const scenario = SCENARIOS[name];
    if (!scenario) throw new Error(`There is no scenario ${name}.`);
    expect(await copies(shared)).toHaveLength(2);
    await visible(shared);
    await scenario.end(shared);
    await backend.settle();
    expect(await hidden(shared)).toMatchObject(notFound);
    await scenario.back?.(shared);
    await backend.settle();
    if (scenario.back) await visible(shared);
  });

  it("shows an image to the owner of a transferred project", async () => {
    const shared = await share();
    const { ada, eve, project } = shared;
    const transferId = await insertTransfer(backend, project, ada.userId, eve.userId);
    await eve.mutation(api.transfers.accept, { transferId });
    await backend.settle();
    expect(await rowsOf(backend, "projectAccess", "projectId", project)).toMatchObject([{ ownerId: eve.userId }]);
    await visible(shared);
  });

  it("deletes the copies of items that are deleted permanently", async () => {
    const shared = await share();
    await shared.ada.mutation(api.projects.moveToTrash, { id: shared.project });
    await shared.ada.mutation(api.trash.purge, { id: shared.project });
    await backend.settle();
    expect(await copies(shared)).toEqual([]);
  });

  it("reads projects and designs of earlier builds, and copies them at the next upload", async () => {
    const shared = await share();
    for (const table of ["projectAccess", "designAccess"])
      for (const { _id } of await backend.inside.query(probe.rows, { table }))
        await backend.inside.mutation(probe.remove, { table, id: String(_id) });
    await visible(shared);
    await shared.ada.mutation(api.designs.moveToTrash, { id: shared.design });
    expect(await hidden(shared)).toMatchObject(notFound);
    await shared.ada.mutation(api.trash.restore, { id: shared.design });
    expect(await copies(shared)).toEqual([]);
    await addImage(backend, shared.ada, shared.design, "another");
    expect(await copies(shared)).toHaveLength(2);
    await visible(shared);
  });
});
