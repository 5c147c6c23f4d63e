import { anonymousMiB } from "../../tests/harness/processes.ts";
import { perSecond, HttpConnection } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { callBody, mutate } from "../http.ts";
import { atMost, median, rounded, type Figure } from "../report.ts";

const SMALL = 1_000;
const LARGE = 1_000_000;
const FILLED_AT_ONCE = 4_000;
const ROUNDS = 7;
const ROUND_MS = 1_000;
const BATCH = 20;
const STARTS = 3;

export async function tableSize(): Promise<Figure[]> {
  const folders = [temporaryFolder("small"), temporaryFolder("large")];
  const [smallFolder = "", largeFolder = ""] = folders;
  let small = await startDeployment(smallFolder);
  let large = await startDeployment(largeFolder);
  await push(small);
  await push(large);
  await fill(small, SMALL);
  const started = performance.now();
  await fill(large, LARGE);
  const fillRate = (LARGE * 1000) / (performance.now() - started);
  await Promise.all([small.stop(), large.stop()]);

  const starts = { small: Array<number>(), large: Array<number>() };
  for (let start = 0; start < STARTS; start += 1) {
    if (start > 0) await Promise.all([small.stop(), large.stop()]);
    small = await startDeployment(smallFolder);
    starts.small.push(small.readyMs);
    large = await startDeployment(largeFolder);
    starts.large.push(large.readyMs);
  }
  const own = await load(small, SMALL);
  const theirs = await load(large, LARGE);
  const times = { small: Array<number>(), large: Array<number>() };
  for (const round of [own, theirs]) await round(500);
  for (let round = 0; round < ROUNDS; round += 1) {
    times.small.push(1e6 / (await own(ROUND_MS)));
    times.large.push(1e6 / (await theirs(ROUND_MS)));
  }
  const memory = [small, large].map(({ child }) => anonymousMiB(child.pid));
  await Promise.all([small.stop(), large.stop()]);
  folders.forEach(removeFolder);
  const figures: Figure[] = [
    { name: `rows written per second (${FILLED_AT_ONCE} per mutation)`, value: rounded(fillRate) },
    { name: `index query at ${rounded(SMALL)} rows`, value: `${median(times.small).toFixed(1)} µs` },
    { name: `index query at ${rounded(LARGE)} rows`, value: `${median(times.large).toFixed(1)} µs` },
    atMost(`index query at ${rounded(LARGE)} ÷ at ${rounded(SMALL)} rows`, median(times.large) / median(times.small), 1.5, ""),
    { name: `start with ${rounded(SMALL)} rows`, value: `${median(starts.small).toFixed(0)} ms` },
    atMost(`start with ${rounded(LARGE)} rows`, median(starts.large), 2_000, "ms"),
  ];
  const [less, more] = memory;
  if (less && more) figures.push(atMost(`memory at ${rounded(LARGE)} above ${rounded(SMALL)} rows`, Math.max(0, more - less), 32, "MiB"));
  return figures;
}

async function fill(server: Server, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += FILLED_AT_ONCE) {
    await mutate(server, "rows:fill", { from, count: Math.min(FILLED_AT_ONCE, rows - from) });
  }
}

async function load(server: Server, rows: number): Promise<(ms: number) => Promise<number>> {
  const connection = await HttpConnection.open(server.url);
  const batch = () => {
    const queries = Array.from({ length: BATCH }, () => callBody("rows:atKey", { key: Math.floor(Math.random() * rows) }));
    return connection.post("/api/query_batch", `{"queries":[${queries.join(",")}]}`);
  };
  return async (ms) => (await perSecond(1, ms, batch)) * BATCH;
}
