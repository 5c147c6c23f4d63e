import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexClient } from "convex/browser";
import { HEARTBEAT_MS } from "../../app/features/presence/presence-row.ts";
import { api } from "../../convex/_generated/api.js";
import type { Person } from "../../tests/convex/backends.ts";
import { startTestDeployment } from "../../tests/convex/deployment.ts";
import { embeddedOn } from "../../tests/convex/embedded.ts";
import { probe } from "../../tests/convex/probe-references.ts";
import { cpuMs } from "../../tests/harness/processes.ts";
import { insertImages, insertPerson } from "../image-rows.ts";
import { atMost, type Figure, median, percentile } from "../report.ts";

const PEOPLE = 50;
const POINTING = 10;
const IDLE_MS = 60_000;
const POINTS = 60;
const INTERVAL_MS = 220;
const viewport = { x: 0, y: 0, width: 1, height: 1 };

export async function presence(): Promise<Figure[]> {
  const deployment = await startTestDeployment();
  const backend = embeddedOn(deployment);
  const clients: ConvexClient[] = [];
  try {
    const owner = await insertPerson(backend, "Owner");
    const projectId = await owner.mutation(api.projects.create, { name: "Shared" });
    const designId = await owner.mutation(api.designs.create, { projectId, name: "Cover" });
    await insertImages(backend, owner, designId, 1, () => ({ name: "image" }));
    const [image] = await owner.query(api.designImages.getDesignImagesByDesignId, { designId });
    const imageId = image?._id ?? "";
    const tabs: Awaited<ReturnType<typeof openTab>>[] = [];
    for (let each = 0; each < PEOPLE; each++) {
      const person = await insertPerson(backend, `Member ${each}`);
      const row = { projectId, userId: person.userId, role: "viewer", addedAt: 0, addedBy: owner.userId };
      await backend.inside.mutation(probe.insert, { table: "projectMembers", row });
      tabs.push(await openTab(person));
    }

    async function openTab({ userId, sessionId }: Person) {
      const client = new ConvexClient(deployment.url, { skipConvexDeploymentUrlCheck: true, logger: false });
      clients.push(client);
      client.setAuth(() => deployment.token({ sub: userId, aud: "atelier-user", sessionId }));
      const tab = randomUUID();
      const seen = { lists: 0, onList: (_length: number) => {} };
      client.onUpdate(api.presence.list, { designId }, (list) => {
        seen.lists++;
        seen.onList(list?.length ?? 0);
      });
      const state = { itemId: String(designId), isAway: false, isWatching: false };
      const update = (isNew = false) => client.mutation(api.presence.update, { tab, ...state, isNew });
      await update(true);
      return { client, tab, seen, state, update };
    }

    const beats = tabs.map(({ update }, each) => {
      const timer = { of: undefined as NodeJS.Timeout | undefined };
      timer.of = setTimeout(
        () => {
          const beat = () => void update().catch(() => {});
          beat();
          timer.of = setInterval(beat, HEARTBEAT_MS);
        },
        (each * HEARTBEAT_MS) / PEOPLE,
      );
      return timer;
    });
    await sleep(HEARTBEAT_MS);
    const lists = () => tabs.reduce((sum, { seen }) => sum + seen.lists, 0);
    const before = { cpu: cpuMs(deployment.pid()), lists: lists(), at: performance.now() };
    await sleep(IDLE_MS);
    const share = (cpuMs(deployment.pid()) - before.cpu) / (performance.now() - before.at);
    const disturbed = lists() - before.lists;
    const times: number[] = [];
    const sentAt = new Map<number, number>();
    const pointing = tabs.slice(0, POINTING);
    await Promise.all(
      pointing.map(async ({ client, state, update }) => {
        Object.assign(state, { itemId: imageId, isWatching: true });
        await update();
        const known = new Set<number>();
        client.onUpdate(api.presence.listPointers, { imageId }, (rows) => {
          for (const { pointer } of rows) {
            if (!pointer || known.has(pointer.x)) continue;
            known.add(pointer.x);
            times.push(performance.now() - (sentAt.get(pointer.x) ?? NaN));
          }
        });
      }),
    );
    const pointingFrom = { cpu: cpuMs(deployment.pid()), at: performance.now() };
    await Promise.all(
      pointing.map(async ({ client, tab }, lane) => {
        await sleep((lane * INTERVAL_MS) / POINTING);
        for (let point = 0; point < POINTS; point++) {
          const x = (lane * POINTS + point) / (POINTING * POINTS);
          sentAt.set(x, performance.now());
          const interval = sleep(INTERVAL_MS);
          await client.mutation(api.presence.setPointer, { tab, imageId, pointer: { x, y: 0 }, viewport });
          await interval;
        }
      }),
    );
    const pointingShare = (cpuMs(deployment.pid()) - pointingFrom.cpu) / (performance.now() - pointingFrom.at);
    for (const { of } of beats) clearInterval(of);
    const leaving: number[] = [];
    const last = tabs.at(-1);
    for (const [index, { client, tab }] of pointing.entries()) {
      const gone = Promise.withResolvers<void>();
      if (last) last.seen.onList = (length) => length < PEOPLE - index && gone.resolve();
      const from = performance.now();
      await client.mutation(api.presence.leave, { tab });
      await gone.promise;
      leaving.push(performance.now() - from);
    }
    return [
      atMost(`CPU time of the deployment with ${PEOPLE} idle people, of a core`, 100 * share, 5, "%"),
      atMost(`lists sent to ${PEOPLE} idle people in a minute`, disturbed, 0, ""),
      { name: `pointers of ${POINTING} people, from the call to another client, p50`, value: `${median(times).toFixed(1)} ms` },
      atMost(`pointers of ${POINTING} people, from the call to another client, p95`, percentile(times, 0.95), 150, "ms"),
      atMost(`someone leaves until another of ${PEOPLE} people sees it, longest of ${POINTING}`, Math.max(...leaving), 2000, "ms"),
      { name: `CPU time of the deployment while ${POINTING} people point, of a core`, value: `${(100 * pointingShare).toFixed(0)} %` },
    ];
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await deployment.close();
  }
}
