import { openTable } from "../baselines/table.ts";
import { perSecond, SyncClient } from "../clients.ts";
import { baseline, push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { median, ratio, rounded, type Figure } from "../report.ts";

const SOCKETS = 16;
const IN_FLIGHT = 64;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const TEXT = "a text of ordinary length, as a message or a name may have it";

export async function durableMutations(): Promise<Figure[]> {
  const folders = ["deployment", "bare", "raw"].map((name) => temporaryFolder(name));
  const [ownFolder = "", bareFolder = "", rawFolder = ""] = folders;
  const deployment = await startDeployment(ownFolder);
  await push(deployment);
  const bare = await baseline("websocket-server", bareFolder);
  const own = await load(deployment);
  const theirs = await load(bare);
  await own.round(1_000);
  await theirs.round(1_000);
  const rates: { own: number[]; bare: number[]; raw: number[] } = { own: [], bare: [], raw: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.own.push(await own.round(ROUND_MS));
    rates.bare.push(await theirs.round(ROUND_MS));
    rates.raw.push(rawInserts(rawFolder, ROUND_MS));
  }
  for (const { close } of [own, theirs]) close();
  await Promise.all([deployment.stop(), bare.stop()]);
  folders.forEach(removeFolder);
  const [ours, bareRate, rawRate] = [median(rates.own), median(rates.bare), median(rates.raw)];
  return [
    { name: "mutations per second", value: rounded(ours) },
    { name: "raw node:sqlite, transactions of one insert per second", value: rounded(rawRate) },
    { name: "bare websocket server with group commit, inserts per second", value: rounded(bareRate) },
    ratio("mutations ÷ raw node:sqlite", ours, rawRate, 0.5),
    ratio("mutations ÷ bare websocket server", ours, bareRate, 0.5, 0.8),
  ];
}

async function load(server: Server) {
  const clients = await Promise.all(Array.from({ length: SOCKETS }, () => SyncClient.open(server.url)));
  let key = 0;
  const lane = (index: number) => clients[index % SOCKETS]?.mutate("rows:insert", { key: key++, text: TEXT }) ?? Promise.resolve();
  return {
    round: (ms: number) => perSecond(IN_FLIGHT, ms, lane),
    close: () => clients.forEach((client) => client.close()),
  };
}

function rawInserts(dir: string, ms: number): number {
  const { sql, insert } = openTable(dir);
  const started = performance.now();
  let done = 0;
  while (performance.now() - started < ms) {
    insert.run(crypto.randomUUID(), JSON.stringify({ key: done, text: TEXT }));
    done += 1;
  }
  const rate = (done * 1000) / (performance.now() - started);
  sql.close();
  return rate;
}
