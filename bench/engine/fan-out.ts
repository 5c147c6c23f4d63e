import { setTimeout as sleep } from "node:timers/promises";
import { SyncClient } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder } from "../deployment.ts";
import { mutate, runsSince } from "../http.ts";
import { atMost, median, percentile, type Figure } from "../report.ts";

const SUBSCRIBERS = 1_000;
const WRITES = 100;
const OUTSIDE_WRITES = 100;

export async function fanOut(): Promise<Figure[]> {
  const folder = temporaryFolder("fan-out");
  const deployment = await startDeployment(folder);
  await push(deployment);
  const [inside, outside] = [
    await mutate(deployment, "rows:insert", { key: 1, text: "" }),
    await mutate(deployment, "rows:insert", { key: 2, text: "" }),
  ];
  const clients: SyncClient[] = [];
  while (clients.length < SUBSCRIBERS)
    clients.push(...(await Promise.all(Array.from({ length: 50 }, () => SyncClient.open(deployment.url)))));
  const seen = watching(clients);
  for (const client of clients) client.watch("rows:atKey", { key: 1 });
  await seen();
  const writer = await SyncClient.open(deployment.url);

  let { cursor } = await runsSince(deployment, 0, "rows:atKey");
  const last: number[] = [];
  for (let write = 0; write < WRITES; write += 1) {
    const all = watching(clients);
    const started = performance.now();
    void writer.mutate("rows:touch", { id: inside, text: `${write}` });
    await all();
    last.push(performance.now() - started);
    await sleep(20);
  }
  const within = await runsSince(deployment, cursor, "rows:atKey");
  ({ cursor } = within);
  let disturbed = 0;
  for (const client of clients) client.onTransition = () => (disturbed += 1);
  for (let write = 0; write < OUTSIDE_WRITES; write += 1) await writer.mutate("rows:touch", { id: outside, text: `${write}` });
  await sleep(500);
  const beyond = await runsSince(deployment, cursor, "rows:atKey");

  for (const client of [...clients, writer]) client.close();
  await deployment.stop();
  removeFolder(folder);
  return [
    { name: "write until the last subscriber has it, p50", value: `${median(last).toFixed(1)} ms` },
    atMost("write until the last subscriber has it, p99", percentile(last, 0.99), 100, "ms", 25),
    { ...atMost(`query runs for ${WRITES} writes in its range`, within.runs, WRITES, ""), value: `${within.runs}` },
    { ...atMost(`query runs for ${OUTSIDE_WRITES} writes outside its range`, beyond.runs, 0, ""), value: `${beyond.runs}` },
    { ...atMost("subscribers notified of writes outside the range", disturbed, 0, ""), value: `${disturbed}` },
  ];
}

function watching(clients: SyncClient[]): () => Promise<void> {
  let missing = clients.length;
  const all = Promise.withResolvers<void>();
  for (const client of clients) {
    let isDisturbed = false;
    client.onTransition = () => {
      if (isDisturbed) return;
      isDisturbed = true;
      missing -= 1;
      if (missing === 0) all.resolve();
    };
  }
  return () => all.promise;
}
