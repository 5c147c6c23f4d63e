import { cpuMs } from "../../tests/harness/processes.ts";
import { HttpConnection } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { callBody, mutate, query } from "../http.ts";
import { atMost, median, type Figure } from "../report.ts";

const CLIENTS = 16;
const ROUNDS = 15;
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
  const times = { without: Array<number>(), with: Array<number>(), nested: Array<number>(), component: Array<number>() };
  for (const { run } of Object.values(loads)) await run();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of ["without", "with", "nested", "component"] as const) times[name].push(await loads[name].run());
  for (const { close } of Object.values(loads)) close();
  await Promise.all([plain.stop(), mounted.stop()]);
  [plainFolder, mountedFolder].forEach(removeFolder);
  return [
    { name: "CPU time of a query without components", value: `${(median(times.without) * 1_000).toFixed(0)} µs` },
    atMost("ten mounted components ÷ none", median(times.with) / median(times.without), 1.05, ""),
    { name: "CPU time of a query that calls a query of the app", value: `${(median(times.nested) * 1_000).toFixed(0)} µs` },
    atMost("call of a component ÷ call of the app", median(times.component) / median(times.nested), 1.1, ""),
  ];
}

async function rows(server: Server): Promise<string[]> {
  await mutate(server, "rows:fill", { from: 0, count: ROWS });
  return query(server, "rows:ids", { count: ROWS });
}

async function load({ url, child }: Server, path: string, ids: string[]) {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => HttpConnection.open(url)));
  const bodies = ids.map((id) => callBody(path, { id }));
  return {
    run: async (): Promise<number> => {
      const before = cpuMs(child.pid ?? 0);
      let next = 0;
      await Promise.all(
        clients.map(async (client) => {
          for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) await client.post("/api/query", body);
        }),
      );
      return (cpuMs(child.pid ?? 0) - before) / bodies.length;
    },
    close: () => clients.forEach((client) => client.close()),
  };
}
