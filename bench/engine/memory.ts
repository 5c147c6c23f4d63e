import { anonymousMiB } from "../../tests/harness/processes.ts";
import { SyncClient } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { mutate } from "../http.ts";
import { atMost, median, type Figure } from "../report.ts";

const MUTATIONS = 100_000;
const WARM_UP_MS = 60_000;
const RECONNECTS = 1_000;
const SOCKETS = 16;
const IN_FLIGHT = 64;
const ROWS = 100;
const SAMPLES = 20;
const NOISE_MIB = 32;

export async function memory(): Promise<Figure[]> {
  const folder = temporaryFolder("memory");
  const deployment = await startDeployment(folder);
  if (anonymousMiB(deployment.child.pid) === null) return [{ name: "not measured: this system has no /proc", value: "" }];
  await push(deployment);
  const ids: unknown[] = [];
  for (let key = 0; key < ROWS; key += 1) ids.push(await mutate(deployment, "rows:insert", { key, text: "" }));
  const started = performance.now();
  while (performance.now() - started < WARM_UP_MS) await touchAll(deployment, ids, 5_000);
  await reconnect(deployment, RECONNECTS / 2);
  const before = await samples(deployment, () => touchAll(deployment, ids, 500));
  await touchAll(deployment, ids, MUTATIONS - 2 * SAMPLES * 500);
  await reconnect(deployment, RECONNECTS);
  const after = await samples(deployment, () => touchAll(deployment, ids, 500));
  await deployment.stop();
  removeFolder(folder);
  return [
    { name: "memory after warming up", value: `${before.toFixed(0)} MiB` },
    { name: "memory after more mutations and connections", value: `${after.toFixed(0)} MiB` },
    atMost("growth", Math.max(0, after - before), NOISE_MIB, "MiB"),
  ];
}

async function samples(server: Server, work: () => Promise<void>): Promise<number> {
  const values: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    await work();
    values.push(anonymousMiB(server.child.pid) ?? 0);
  }
  return median(values);
}

async function touchAll(server: Server, ids: unknown[], count: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: SOCKETS }, () => SyncClient.open(server.url)));
  let done = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async (_, lane) => {
      for (let i = done++; i < count; i = done++)
        await clients[lane % SOCKETS]?.mutate("rows:touch", { id: ids[i % ids.length], text: `${i}` });
    }),
  );
  for (const client of clients) client.close();
}

async function reconnect(server: Server, count: number): Promise<void> {
  for (let i = 0; i < count; i += 10) {
    await Promise.all(
      Array.from({ length: 10 }, async (_, lane) => {
        const client = await SyncClient.open(server.url);
        const answered = new Promise<void>((resolve) => (client.onTransition = () => resolve()));
        client.watch("rows:atKey", { key: lane });
        await answered;
        client.close();
      }),
    );
  }
}
