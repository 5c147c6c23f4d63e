/** Point reads over HTTP, 16 clients, beside a bare server that answers the same row. */
import { openTable } from "./baselines/table.ts";
import { HttpConnection, perSecond } from "./clients.ts";
import { baseline, push, removeFolder, startDeployment, temporaryFolder, type Server } from "./deployment.ts";
import { median, ratio, whole, type Figure } from "./report.ts";

const CLIENTS = 16;
const ROUNDS = 5;
const ROUND_MS = 2_000;

export async function pointReads(): Promise<Figure[]> {
  const [ownFolder, bareFolder] = [temporaryFolder("deployment"), temporaryFolder("bare")];
  const deployment = await startDeployment(ownFolder);
  await push(deployment);
  const writer = await HttpConnection.open(deployment.url);
  const text = "a text of ordinary length, as a message or a name may have it";
  const call = (path: string, args: object) => JSON.stringify({ path, args: [args], format: "convex_encoded_json" });
  const { value: id }: { value: string } = JSON.parse(await writer.post("/api/mutation", call("rows:insert", { key: 1, text })));
  const row: { value: unknown } = JSON.parse(await writer.post("/api/query", call("rows:get", { id })));
  writer.close();
  const { sql, insert } = openTable(bareFolder);
  insert.run(id, JSON.stringify(row.value));
  sql.close();
  const bare = await baseline("http-server", bareFolder);

  const body = call("rows:get", { id });
  const own = await load(deployment, body);
  const theirs = await load(bare, body);
  for (const { round } of [own, theirs]) await round(1_000);
  const rates: { own: number[]; bare: number[] } = { own: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.own.push(await own.round(ROUND_MS));
    rates.bare.push(await theirs.round(ROUND_MS));
  }
  for (const { close } of [own, theirs]) close();
  await Promise.all([deployment.stop(), bare.stop()]);
  [ownFolder, bareFolder].forEach(removeFolder);
  return [
    { what: "deployment, queries/s", value: whole(median(rates.own)) },
    { what: "bare node:http + node:sqlite, requests/s", value: whole(median(rates.bare)) },
    ratio("deployment : bare server", median(rates.own), median(rates.bare), 0.5),
  ];
}

async function load({ url }: Server, body: string) {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => HttpConnection.open(url)));
  return {
    round: (ms: number) => perSecond(CLIENTS, ms, (lane) => clients[lane]?.post("/api/query", body) ?? Promise.resolve()),
    close: () => clients.forEach((client) => client.close()),
  };
}
