import { HttpConnection, perSecond } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { callBody, mutate, query } from "../http.ts";
import { median, ratio, rounded, type Figure } from "../report.ts";

const CLIENTS = 16;
const ROUNDS = 7;
const ROUND_MS = 1_000;
const ROWS = 2_000;

export async function components(): Promise<Figure[]> {
  const [plainFolder, mountedFolder] = [temporaryFolder("plain"), temporaryFolder("mounted")];
  const [plain, mounted] = [await startDeployment(plainFolder), await startDeployment(mountedFolder)];
  await push(plain);
  await push(mounted, "components");
  const ids = { plain: await rows(plain), mounted: await rows(mounted), component: Array<string>() };
  for (let key = 0; key < ROWS; key += 1)
    ids.component.push(String(await mutate(mounted, "calls:insert", { key, text: `row number ${key}` })));

  const loads = {
    without: await load(plain, "rows:get", ids.plain),
    with: await load(mounted, "rows:get", ids.mounted),
    nested: await load(mounted, "calls:inApp", ids.mounted),
    component: await load(mounted, "calls:inComponent", ids.component),
  };
  const rates = { without: Array<number>(), with: Array<number>(), nested: Array<number>(), component: Array<number>() };
  for (const { run } of Object.values(loads)) await run(ROUND_MS);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ["without", "with", "nested", "component"] as const) rates[name].push(await loads[name].run(ROUND_MS));
  for (const { close } of Object.values(loads)) close();
  await Promise.all([plain.stop(), mounted.stop()]);
  [plainFolder, mountedFolder].forEach(removeFolder);
  return [
    { name: "queries per second without components", value: rounded(median(rates.without)) },
    ratio("ten mounted components ÷ none", median(rates.with), median(rates.without), 0.95),
    { name: "queries per second that call a query of the app", value: rounded(median(rates.nested)) },
    ratio("call of a component ÷ call of the app", median(rates.component), median(rates.nested), 0.9),
  ];
}

async function rows(server: Server): Promise<string[]> {
  await mutate(server, "rows:fill", { from: 0, count: ROWS });
  return query(server, "rows:ids", { count: ROWS });
}

async function load({ url }: Server, path: string, ids: string[]) {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => HttpConnection.open(url)));
  const bodies = ids.map((id) => callBody(path, { id }));
  let next = 0;
  return {
    run: (ms: number) =>
      perSecond(CLIENTS, ms, (lane) => clients[lane]?.post("/api/query", bodies[next++ % bodies.length] ?? "") ?? Promise.resolve()),
    close: () => clients.forEach((client) => client.close()),
  };
}
