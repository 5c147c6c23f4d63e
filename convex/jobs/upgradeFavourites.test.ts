import { expect, it } from "vitest";
import { probe, signUp } from "../../tests/convex/backends.ts";
import { embeddedBackend } from "../../tests/convex/embedded.ts";
import { api, internal } from "../_generated/api";

const MINUTE = 60_000;
const ROWS = Number(process.env["TEST_ROWS"] ?? 4000);
const PROJECTS = ROWS / 100;
const DESIGNS = { large: 49 * PROJECTS, each: 50 };
const PROJECT_FAVOURITES = Math.min(50, PROJECTS);
const FAVOURITES = { large: 50, each: 5 };
const INSERTED = 2000;

type Row = Record<string, unknown>;

it("keeps lists complete while favourites are copied, also after a crash", { tags: "slow", timeout: 10 * MINUTE }, async () => {
  const backend = await embeddedBackend();
  try {
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    const ada = await signUp(backend, "ada");
    const insertAll = async (table: string, rows: Row[]) => {
      for (let at = 0; at < rows.length; at += INSERTED)
        await backend.inside.mutation(probe.insertMany, { table, rows: rows.slice(at, at + INSERTED) });
    };
    const { userId: ownerId } = ada;
    const row = { ownerId, imageCount: 0, cover: [], updatedAt: 1 };
    const projectRow = (index: number) => ({
      ...row,
      name: `project ${index}`,
      designCount: 0,
      ...(index < PROJECT_FAVOURITES && { favouriteAt: 1 + index }),
    });
    await insertAll(
      "projects",
      Array.from({ length: PROJECTS }, (_, index) => projectRow(index)),
    );
    const projects = await backend.inside.query(probe.rows, { table: "projects" });
    const designsOf = (projectId: unknown, count: number, favourites: number): Row[] =>
      Array.from({ length: count }, (_, index) => ({
        ...row,
        projectId,
        name: `design ${index}`,
        latestImageAt: 0,
        updatedAt: index,
        ...(index % Math.floor(count / favourites) === 0 &&
          index / Math.floor(count / favourites) < favourites && { favouriteAt: 1 + index }),
      }));
    const [large, ...others] = projects.map(({ _id }) => String(_id));
    await insertAll("designs", designsOf(large, DESIGNS.large, FAVOURITES.large));
    await insertAll(
      "designs",
      others.flatMap((projectId) => designsOf(projectId, DESIGNS.each, FAVOURITES.each)),
    );
    for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades", field: "name", value: "favourites" }))
      await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });

    const shown = async () => ({
      designs: await ada.query(api.designs.getDesignsByProjectId, { projectId: large ?? "" }),
      others: await ada.query(api.designs.getDesignsByProjectId, { projectId: others.at(-1) ?? "", sort: "created" }),
      projects: await ada.query(api.projects.getProjects, {}),
    });
    const before = await shown();
    expect(before.designs.filter(({ favourite }) => favourite)).toHaveLength(FAVOURITES.large);
    expect(before.others.filter(({ favourite }) => favourite)).toHaveLength(FAVOURITES.each);
    const isDone = async () =>
      (await backend.inside.query(probe.rows, { table: "upgrades", field: "name", value: "favourites" })).length > 0;

    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    expect(await shown()).toEqual(before);
    await backend.crash?.();
    while (!(await isDone())) expect(await shown()).toEqual(before);
    await backend.settle();
    expect(await shown()).toEqual(before);
    const rows = await backend.inside.query(probe.rows, { table: "favourites" });
    expect(rows).toHaveLength(PROJECT_FAVOURITES + FAVOURITES.large + (PROJECTS - 1) * FAVOURITES.each);
    expect(new Set(rows.map(({ itemId }) => itemId)).size).toBe(rows.length);
    expect(rows.every(({ userId }) => userId === ownerId)).toBe(true);
  } finally {
    await backend.close();
  }
});
