import { setTimeout as sleep } from "node:timers/promises";
import { api } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.d.ts";
import type { Person } from "../../tests/convex/backends.ts";
import { startTestDeployment, type TestDeployment } from "../../tests/convex/deployment.ts";
import { embeddedOn } from "../../tests/convex/embedded.ts";
import { probe } from "../../tests/convex/probe-references.ts";
import { anonymousMiB } from "../../tests/harness/processes.ts";
import { insertImages, insertPerson } from "../image-rows.ts";
import { atMost, type Figure } from "../report.ts";

const IMAGES = 10_000;
const SMALL = 500;
const CANCELLED_AT = 3000;
const KILLED_AT = 6000;

/** Maximum time of a job, relative to mutations of 500 items: a job also reads its rows again and writes its progress 100 times. */
const JOB_TIMES = 3;
const GROWTH_MIB = 250;
/** Earlier states are kept for 30 s, and released by the next upkeep, within a minute. */
const RELEASED_MS = 100_000;

const imageName = (index: number) => `photograph ${index}.jpg`;

export async function bulk(): Promise<Figure[]> {
  const deployment = await startTestDeployment();
  const backend = embeddedOn(deployment);
  try {
    const person = await insertPerson(backend, "Selector");
    const projectId = await person.mutation(api.projects.create, { name: "Many" });
    const [front, back, few, others] = await Promise.all(
      ["Front", "Back", "Few", "Others"].map((name) => person.mutation(api.designs.create, { projectId, name })),
    );
    if (!front || !back || !few || !others) throw new Error("four designs");
    const fill = async (id: Id<"designs">, count: number) => {
      await insertImages(backend, person, id, count, (index) => ({ name: imageName(index), words: imageName(index) }));
      await backend.inside.mutation(probe.patch, { table: "designs", id, fields: { imageCount: count } });
    };
    await fill(few, SMALL);
    const small = (await backend.inside.query(probe.rows, { table: "designImages" })).map(({ _id }) => String(_id));
    await fill(front, IMAGES);
    const work = jobs(person, deployment);
    const all = (id: Id<"designs">) => ({ kind: "image" as const, place: { kind: "design" as const, id }, ids: [] });
    const countOf = async (id: Id<"designs">) => (await person.query(api.designs.getDesignById, { id })).imageCount;
    const expectCounts = async (...expected: number[]) => {
      const counts = await Promise.all([front, back].map(countOf));
      if (counts.join() !== expected.join()) throw new Error(`The designs have ${counts.join(" and ")} images.`);
    };
    const before = anonymousMiB(deployment.pid());

    const tagFew = await timed(() => person.mutation(api.many.tagImages, { ids: small, tag: "few", step: "few tagged" }));
    const tagging = await work.run({ ...all(front), action: { type: "tag", tag: "many" } });
    const moveFew = await timed(() => person.mutation(api.designImages.move, { ids: small, designId: others, step: "few moved" }));
    const moving = await work.run({ ...all(front), action: { type: "move", to: back } }, "move");
    await expectCounts(0, IMAGES);
    const undoing = await work.revert("move");
    await expectCounts(IMAGES, 0);
    const redoing = await work.revert("move");
    await expectCounts(0, IMAGES);
    const copying = await work.run({ ...all(back), action: { type: "copy", to: front } });
    await expectCounts(IMAGES, IMAGES);

    if (before !== null) await sleep(RELEASED_MS);
    const after = anonymousMiB(deployment.pid());
    const trashing = await work.run({ ...all(front), action: { type: "trash" } }, "trash", async (job) => {
      await work.reached(CANCELLED_AT);
      await person.mutation(api.bulk.cancel, { id: job });
      await backend.settle();
      const { state, done } = await work.latest();
      if (state !== "cancelled" || done < CANCELLED_AT || done === IMAGES) throw new Error(`The job is ${state} after ${done} images.`);
      await expectCounts(IMAGES - done, IMAGES);
      await person.mutation(api.bulk.resume, { id: job });
      await work.reached(KILLED_AT);
      await deployment.crash();
    });
    await expectCounts(0, IMAGES);
    const restoring = await work.revert("trash");
    await expectCounts(IMAGES, IMAGES);

    const s = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    const times = { tagging, moving, undoing, redoing, copying, restoring };
    return [
      ...Object.entries(times).map(([what, ms]) => ({ name: `${what} ${IMAGES.toLocaleString("en-US")} images`, value: s(ms) })),
      { name: "trash, with a cancellation, a resumption and a killed deployment", value: s(trashing) },
      atMost("tag ÷ 20 mutations of 500 images", tagging / (tagFew * (IMAGES / SMALL)), JOB_TIMES, ""),
      atMost("move ÷ 20 mutations of 500 images", moving / (moveFew * (IMAGES / SMALL)), JOB_TIMES, ""),
      ...(before === null
        ? []
        : [
            atMost("memory growth of the deployment", work.peak() - before, GROWTH_MIB, "MiB"),
            { name: `memory growth, ${RELEASED_MS / 1000} s after the jobs`, value: `${((after ?? 0) - before).toFixed(0)} MiB` },
          ]),
    ];
  } finally {
    await backend.close();
  }
}

function jobs(person: Person, deployment: TestDeployment) {
  let peak = 0;
  async function latest() {
    peak = Math.max(peak, anonymousMiB(deployment.pid()) ?? 0);
    const [job] = await person.query(api.bulk.getRecent, {}).catch(() => []);
    return job ?? { state: "running" as const, done: 0, failed: 0 };
  }
  async function until(isOver: (job: Awaited<ReturnType<typeof latest>>) => boolean): Promise<void> {
    while (!isOver(await latest())) await sleep(20);
  }
  const end = async () => {
    await until(({ state }) => state !== "running");
    const { state, done, failed } = await latest();
    if (state !== "done" || done !== IMAGES || failed > 0) throw new Error(`The job is ${state}: ${done} done, ${failed} failed.`);
  };
  return {
    latest,
    peak: () => peak,
    reached: (count: number) => until(({ done }) => done >= count),
    run(
      args: Omit<Parameters<typeof start>[1], "step">,
      step = crypto.randomUUID().slice(0, 8),
      meanwhile?: (id: string) => Promise<void>,
    ) {
      return timed(async () => {
        const id = await start(person, { ...args, step });
        await meanwhile?.(id);
        await end();
      });
    },
    revert: (step: string) =>
      timed(async () => {
        await person.mutation(api.undo.revert, { step });
        await end();
      }),
  };
}

const start = (person: Person, args: (typeof api.bulk.start)["_args"]) => person.mutation(api.bulk.start, args);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
