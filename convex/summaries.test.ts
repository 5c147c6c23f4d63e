import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, signUp } from "../tests/convex/backends.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { seeded } from "../tests/convex/seeded.ts";
import { api } from "./_generated/api";
import type { Design, DesignImage, Project } from "./model/shapes";

describe.each(backends)("counts and covers on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
  });
  afterAll(() => backend.close());

  it("show a project's newest four images across its designs", async () => {
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    const first = await ada.mutation(api.designs.create, { projectId, name: "first" });
    const second = await ada.mutation(api.designs.create, { projectId, name: "second" });
    const ids = [];
    for (const designId of [first, first, second, first, second, first]) ids.push((await addImage(backend, ada, designId, "an image")).id);
    const [a, b, c, d, e, f] = ids;
    const covers = async () => {
      const project = await ada.query(api.projects.getProjectById, { id: projectId });
      const designs = await Promise.all([first, second].map((id) => ada.query(api.designs.getDesignById, { id })));
      return [project, ...designs].map(({ cover }) => cover.map(({ imageId }) => imageId));
    };
    expect(await covers()).toEqual([
      [f, e, d, c],
      [f, d, b, a],
      [e, c],
    ]);
    await ada.mutation(api.designImages.remove, { id: e ?? "" });
    expect(await covers()).toEqual([[f, d, c, b], [f, d, b, a], [c]]);
    const [cover] = (await ada.query(api.projects.getProjectById, { id: projectId })).cover;
    expect(cover).toEqual({ imageId: f, placeholder: null, width: 40, height: 30 });
  });

  it("match the contents after each of many changes", { tags: "slow" }, async () => {
    const random = seeded(20261121);
    const pick = <T>(list: T[]): T | undefined => list[Math.floor(random() * list.length)];
    await ada.mutation(api.projects.create, { name: "one" });
    await ada.mutation(api.projects.create, { name: "two" });

    for (let step = 0; step < 90; step++) {
      const { projects, designs, images } = await everything();
      const [project, design, image] = [pick(projects), pick(designs), pick(images)];
      const roll = random();
      if (roll < 0.45 && design) await addImage(backend, ada, design._id, `image ${step}`);
      else if (roll < 0.65 && project) await ada.mutation(api.designs.create, { projectId: project._id, name: `design ${step}` });
      else if (roll < 0.85 && image) await ada.mutation(api.designImages.remove, { id: image._id });
      else if (roll < 0.9 && design) await ada.mutation(api.designs.remove, { id: design._id });
      else if (roll < 0.95 && image) await ada.mutation(api.designImages.rename, { id: image._id, name: `renamed ${step}` });
      else await ada.mutation(api.projects.create, { name: `project ${step}` });
      if (step === 60 && project) await ada.mutation(api.projects.remove, { id: project._id });
      agree(await everything());
    }
    const { images } = await everything();
    expect(images.length, "the walk ends with pictures, or it has tested nothing").toBeGreaterThan(4);
  });

  async function everything(): Promise<Everything> {
    const projects = await ada.query(api.projects.getProjects, {});
    const designs = (await Promise.all(projects.map(({ _id }) => ada.query(api.designs.getDesignsByProjectId, { projectId: _id })))).flat();
    const images = (
      await Promise.all(designs.map(({ _id }) => ada.query(api.designImages.getDesignImagesByDesignId, { designId: _id })))
    ).flat();
    return { projects, designs, images };
  }
});

type Everything = { projects: Project[]; designs: Design[]; images: DesignImage[] };

function agree({ projects, designs, images }: Everything): void {
  for (const design of designs) {
    const inside = images.filter(({ designId }) => designId === design._id);
    expect(design.imageCount).toBe(inside.length);
    expect(design.cover.map(({ imageId }) => imageId)).toEqual(newest(inside));
  }
  for (const project of projects) {
    const inside = designs.filter(({ projectId }) => projectId === project._id);
    const pictures = images.filter(({ designId }) => inside.some(({ _id }) => _id === designId));
    expect(project.designCount).toBe(inside.length);
    expect(project.imageCount).toBe(pictures.length);
    expect(project.cover.map(({ imageId }) => imageId)).toEqual(newest(pictures));
  }
}

function newest(images: DesignImage[]) {
  return images
    .toSorted((a, b) => b._creationTime - a._creationTime)
    .slice(0, 4)
    .map(({ _id }) => _id);
}
