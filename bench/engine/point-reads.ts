import { openTable } from "../baselines/table.ts";
import { HttpConnection, perSecond } from "../clients.ts";
import { baseline, push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { callBody, mutate, query } from "../http.ts";
import { median, ratio, rounded, type Figure } from "../report.ts";

const CLIENTS = 16;
const ROUNDS = 5;
const ROUND_MS = 2_000;
const ROWS = 4_000;

export async function pointReads(): Promise<Figure[]> {
  const [ownFolder, bareFolder] = [temporaryFolder("deployment"), temporaryFolder("bare")];
  const deployment = await startDeployment(ownFolder);
  await push(deployment);
  await mutate(deployment, "rows:fill", { from: 0, count: ROWS });
  const ids: string[] = await query(deployment, "rows:ids", { count: ROWS });
  const { sql, insert } = openTable(bareFolder);
  for (const id of ids) insert.run(id, JSON.stringify(await query(deployment, "rows:get", { id })));
  sql.close();
  const bare = await baseline("http-server", bareFolder);

  const bodies = ids.map((id) => callBody("rows:get", { id }));
  const own = await load(deployment, bodies);
  const theirs = await load(bare, bodies);
  for (const { one, all } of [own, theirs]) for (const round of [one, all]) await round(1_000);
  const rates = { own: { one: Array<number>(), all: Array<number>() }, bare: { one: Array<number>(), all: Array<number>() } };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const which of ["one", "all"] as const) {
      rates.own[which].push(await own[which](ROUND_MS));
      rates.bare[which].push(await theirs[which](ROUND_MS));
    }
  }
  for (const { close } of [own, theirs]) close();
  await Promise.all([deployment.stop(), bare.stop()]);
  [ownFolder, bareFolder].forEach(removeFolder);
  const figures = (which: "one" | "all", what: string): Figure[] => [
    { name: `${what}: queries per second`, value: rounded(median(rates.own[which])) },
    { name: `${what}, bare node:http and node:sqlite: requests per second`, value: rounded(median(rates.bare[which])) },
  ];
  return [
    ...figures("one", "one row"),
    ratio("one row ÷ bare server", median(rates.own.one), median(rates.bare.one), 0.5),
    ...figures("all", "rows in turn, uncached"),
    { name: "rows in turn, uncached ÷ bare server", value: (median(rates.own.all) / median(rates.bare.all)).toFixed(2) },
  ];
}

async function load({ url }: Server, bodies: string[]) {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => HttpConnection.open(url)));
  let next = 0;
  const post = (lane: number, body: string | undefined) => clients[lane]?.post("/api/query", body ?? "") ?? Promise.resolve();
  return {
    one: (ms: number) => perSecond(CLIENTS, ms, (lane) => post(lane, bodies[0])),
    all: (ms: number) => perSecond(CLIENTS, ms, (lane) => post(lane, bodies[next++ % bodies.length])),
    close: () => clients.forEach((client) => client.close()),
  };
}
