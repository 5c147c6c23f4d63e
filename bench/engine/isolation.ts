import { setTimeout as sleep } from "node:timers/promises";
import { anonymousMiB } from "../../tests/harness/processes.ts";
import { push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { callBody } from "../http.ts";
import { atMost, type Figure } from "../report.ts";

const DELAY_MS = 1_200;
const MEMORY_GROWTH = 1.2;
const SAMPLE_MS = 20;
const SETTLE_MS = 70_000;

type Kind = "query" | "mutation" | "action";

export async function isolation(): Promise<Figure[]> {
  const folder = temporaryFolder("isolation");
  const deployment = await startDeployment(folder);
  await push(deployment);
  const call = (kind: Kind, path: string, args: object): Promise<unknown> =>
    fetch(`${deployment.url}/api/${kind}`, { method: "POST", body: callBody(`runaway:${path}`, args) }).then((response) => response.json());
  const repeat = (count: number, kind: Kind, path: string, args: (lane: number) => object) =>
    Array.from({ length: count }, (_, lane) => call(kind, path, args(lane)));

  for (let i = 0; i < 50; i++) await slowest(call, []);
  const idle = anonymousMiB(deployment.child.pid) ?? NaN;
  const alone = await slowest(call, [sleep(1_000)]);
  const queries = await slowest(
    call,
    repeat(5, "query", "loopingQuery", (lane) => ({ lane })),
  );
  const mutations = await slowest(
    call,
    repeat(5, "mutation", "loopingMutation", (lane) => ({ lane })),
  );
  const actions = await slowest(
    call,
    repeat(4, "action", "busyAction", () => ({ ms: 4_000 })),
  );
  const peak = await peakMiB(deployment, [
    ...repeat(4, "query", "fillingQuery", () => ({ mebibytes: 400 })),
    ...repeat(4, "action", "fillingAction", () => ({ mebibytes: 400 })),
  ]);
  await sleep(SETTLE_MS);
  const after = anonymousMiB(deployment.child.pid) ?? NaN;
  await deployment.stop();
  removeFolder(folder);
  return [
    ...Object.entries(alone).map(([kind, ms]): Figure => ({ name: `nothing else runs: slowest ${kind}`, value: `${Math.round(ms)} ms` })),
    ...delays("5 looping queries", queries),
    ...delays("5 looping mutations", mutations),
    ...delays("4 actions with 4 s of computation", actions),
    { name: "8 functions with 400 MiB of typed arrays: peak", value: `${Math.round(peak)} MiB` },
    { name: "memory before", value: `${Math.round(idle)} MiB` },
    atMost("memory afterwards ÷ before", after / idle, MEMORY_GROWTH, ""),
  ];
}

const delays = (what: string, slowest: Record<Kind, number>): Figure[] =>
  Object.entries(slowest).map(([kind, ms]) => atMost(`${what}: slowest ${kind}`, ms, DELAY_MS, "ms"));

type CallFunction = (kind: Kind, path: string, args: object) => Promise<unknown>;

async function slowest(call: CallFunction, runaways: Promise<unknown>[]): Promise<Record<Kind, number>> {
  const result = { query: 0, mutation: 0, action: 0 };
  const ended = new AbortController();
  const all = Promise.all(runaways).then(() => ended.abort());
  const trivial = { query: "trivial", mutation: "trivialMutation", action: "trivialAction" };
  await Promise.all(
    (["query", "mutation", "action"] as const).map(async (kind) => {
      do {
        const started = performance.now();
        await call(kind, trivial[kind], {});
        result[kind] = Math.max(result[kind], performance.now() - started);
        await sleep(SAMPLE_MS);
      } while (!ended.signal.aborted);
    }),
  );
  await all;
  return result;
}

async function peakMiB(server: Server, runs: Promise<unknown>[]): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, anonymousMiB(server.child.pid) ?? 0)), SAMPLE_MS);
  await Promise.all(runs);
  clearInterval(timer);
  return peak;
}
