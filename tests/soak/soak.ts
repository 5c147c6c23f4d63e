import { setTimeout as sleep } from "node:timers/promises";
import { startApp } from "../harness/app.ts";
import { signUp } from "../harness/people.ts";
import { type Amounts, fill } from "./fill.ts";
import { createRecorder, type Operation, work } from "./people.ts";
import { sample, type Sample } from "./watch.ts";

export type SoakOptions = {
  people: number;
  minutes: number;
  filled?: Amounts;
  settings?: Record<string, string>;
  progress?: (line: string) => void;
};

export type Half = { perMinute: number; p50: number; p99: number };
export type Soak = {
  halves: [first: Half, second: Half];
  cpu: [first: number, second: number];
  kinds: { kind: string; halves: [Half, Half] }[];
  failures: string[];
  operations: number;
  samples: Sample[];
  metrics: string[];
  restart: { readyMs: number; slowestMs: number };
};

const SAMPLE_MS = 10_000;
const WARM_UP_SHARE = 0.1;
const RESTART_WATCH_MS = 60_000;
const PROBE_MS = 50;

export async function soak({ people, minutes, filled, settings = {}, progress = () => {} }: SoakOptions): Promise<Soak> {
  const app = await startApp({ METRICS_ON_LOOPBACK: "true", ...settings });
  try {
    const persons = [];
    for (let each = 0; each < people; each++) persons.push(await signUp(app.url, `Person ${each}`));
    if (filled) {
      await app.stop();
      fill(app.dataDir, filled);
      await app.start();
    }
    const length = minutes * 60_000;
    const recorder = createRecorder();
    const began = performance.now();
    const end = AbortSignal.timeout(length);
    const samples: Sample[] = [];
    const watching = (async () => {
      for (let reported = 0; !end.aborted; await sleep(SAMPLE_MS)) {
        const now = await sample(app, performance.now() - began);
        samples.push(now);
        if (samples.length % 6 !== 0) continue;
        const { perMinute, p50, p99 } = halfOf(recorder.operations.slice(reported), 60_000);
        reported = recorder.operations.length;
        const used = `${now.memory.map((mib) => mib.toFixed(0)).join(" + ")} MiB, ${now.descriptors} descriptors, ${now.files} files`;
        progress(`${(now.at / 60_000).toFixed(1)} min: ${perMinute} operations, p50 ${p50} ms, p99 ${p99} ms; ${used}`);
      }
    })();
    await Promise.all([...persons.map((person) => work(app, person, recorder, end)), watching]);
    const metrics = (await (await fetch(`${app.url}/metrics`)).text())
      .split("\n")
      .filter((line) => /^\w+_(?:collection|block|event_loop_)/.test(line));
    const restart = await restartAndProbe(app);
    const from = length * WARM_UP_SHARE;
    const middle = (from + length) / 2;
    const inHalves = (operations: Operation[]): [Half, Half] => [
      halfOf(
        operations.filter(({ at }) => at >= from && at < middle),
        middle - from,
      ),
      halfOf(
        operations.filter(({ at }) => at >= middle && at < length),
        length - middle,
      ),
    ];
    const kinds = Map.groupBy(recorder.operations, ({ kind }) => kind);
    return {
      halves: inHalves(recorder.operations),
      cpu: [cpuPerOperation(samples, recorder.operations, from, middle), cpuPerOperation(samples, recorder.operations, middle, length)],
      kinds: [...kinds].map(([kind, operations]) => ({ kind, halves: inHalves(operations) })),
      failures: recorder.failures,
      operations: recorder.operations.length,
      samples,
      metrics,
      restart,
    };
  } finally {
    await app.dispose();
  }
}

function cpuPerOperation(samples: Sample[], operations: Operation[], from: number, to: number): number {
  const within = samples.filter(({ at }) => at >= from && at <= to);
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last) return NaN;
  return (last.cpuMs - first.cpuMs) / operations.filter(({ at }) => at >= first.at && at < last.at).length;
}

async function restartAndProbe(app: Awaited<ReturnType<typeof startApp>>): Promise<Soak["restart"]> {
  await app.stop();
  const before = performance.now();
  await app.start();
  const ready = performance.now();
  let slowestMs = 0;
  while (performance.now() - ready < RESTART_WATCH_MS) {
    const requested = performance.now();
    await (await fetch(`${app.url}/sign-in`)).arrayBuffer();
    slowestMs = Math.max(slowestMs, performance.now() - requested);
    await sleep(PROBE_MS);
  }
  return { readyMs: Math.round(ready - before), slowestMs: Math.round(slowestMs) };
}

function halfOf(operations: Operation[], length: number): Half {
  const times = operations.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return { perMinute: Math.round((operations.length * 60_000) / length), p50: at(0.5), p99: at(0.99) };
}
