import { setTimeout as sleep } from "node:timers/promises";
import { cpuMs } from "../../tests/harness/processes.ts";
import { SyncClient } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder } from "../deployment.ts";
import { mutate } from "../http.ts";
import { atMost, median, percentile, type Figure } from "../report.ts";

const CLIENTS = 1_000;
const SUBSCRIPTIONS = 10;
/** Each key has a hundredth of the subscriptions. */
const KEYS = 100;
const WRITES_PER_SECOND = 100;
const WARM_UP_WRITES = 300;
const WRITES = 1_500;
const LAST_ARRIVALS_MS = 1_000;

export async function subscriptions(): Promise<Figure[]> {
  const folder = temporaryFolder("subscriptions");
  const deployment = await startDeployment(folder);
  await push(deployment);
  const ids: unknown[] = [];
  for (let key = 0; key < KEYS; key += 1) ids.push(await mutate(deployment, "rows:insert", { key, text: "" }));

  const sentAt: number[] = [];
  const delays: number[] = [];
  const clients: SyncClient[] = [];
  for (let first = 0; first < CLIENTS; first += 50)
    clients.push(...(await Promise.all(Array.from({ length: 50 }, () => SyncClient.open(deployment.url)))));
  let missing = CLIENTS;
  const subscribed = Promise.withResolvers<void>();
  for (const [index, client] of clients.entries()) {
    client.onTransition = () => {
      client.onTransition = (text) => {
        for (const [, write] of text.matchAll(/write (\d+)/g)) delays.push(performance.now() - (sentAt[Number(write)] ?? NaN));
      };
      missing -= 1;
      if (missing === 0) subscribed.resolve();
    };
    client.watch("rows:atKey", ...Array.from({ length: SUBSCRIPTIONS }, (_, nth) => ({ key: (index * SUBSCRIPTIONS + nth) % KEYS })));
  }
  await subscribed.promise;

  const writer = await SyncClient.open(deployment.url);
  const writeAll = async (count: number) => {
    const started = performance.now();
    for (let nth = 0; nth < count; nth += 1) {
      await sleep(Math.max(0, started + (nth * 1000) / WRITES_PER_SECOND - performance.now()));
      const write = sentAt.push(performance.now()) - 1;
      void writer.mutate("rows:touch", { id: ids[write % KEYS], text: `write ${write}` });
    }
  };
  await writeAll(WARM_UP_WRITES);
  await sleep(LAST_ARRIVALS_MS);
  delays.length = 0;
  const [started, cpu] = [performance.now(), cpuMs(deployment.child.pid)];
  await writeAll(WRITES);
  const cores = (cpuMs(deployment.child.pid) - cpu) / (performance.now() - started);
  await sleep(LAST_ARRIVALS_MS);

  for (const client of [...clients, writer]) client.close();
  await deployment.stop();
  removeFolder(folder);
  return [
    { name: "updates received ÷ expected", value: (delays.length / ((WRITES * CLIENTS * SUBSCRIPTIONS) / KEYS)).toFixed(3) },
    atMost("CPU time of the deployment, cores", cores, 1, ""),
    { name: "write until a subscriber has it, p50", value: `${median(delays).toFixed(1)} ms` },
    atMost("write until a subscriber has it, p99", percentile(delays, 0.99), 50, "ms"),
  ];
}
