import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { ConvexHttpClient } from "convex/browser";
import { api } from "../../convex/_generated/api.js";
import { startApp, type RunningApp } from "../../tests/harness/app.ts";
import { type Person, signUp } from "../../tests/harness/people.ts";
import { firstLoadScripts, startBareApp } from "../bare-app.ts";
import { requestsPerSecond } from "../load.ts";
import { atMost, median, type Figure, ratio, rounded } from "../report.ts";

const ROUNDS = 5;
const ROUND_MS = 1500;

async function clientOf(app: RunningApp, person: Person): Promise<{ convex: ConvexHttpClient; cookie: string }> {
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  const made = page.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
  const cookie = [person.cookieHeader, ...made].join("; ");
  const convex = new ConvexHttpClient(app.deployment.url, { skipConvexDeploymentUrlCheck: true, logger: false });
  const token = /convex_token=([^;]+)/.exec(cookie)?.[1] ?? "";
  convex.setAuth(/eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(decodeURIComponent(token))?.[0] ?? "");
  return { convex, cookie };
}

async function addProjects(convex: ConvexHttpClient, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) await convex.mutation(api.projects.create, { name: `Project ${n}` }, { skipQueue: true });
}

export async function pages(): Promise<Figure[]> {
  const [bare, app] = [await startBareApp(), await startApp({ LOG_LEVEL: "warn" })];
  try {
    const person = await signUp(app.url);
    const { convex, cookie } = await clientOf(app, person);
    await addProjects(convex, 50);
    const figures: Figure[] = [];
    for (const [path, headers, least, goal] of [
      ["/projects", { Cookie: cookie }, 0.5, 0.8],
      ["/sign-in", {}, 0.8, undefined],
    ] as const) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = -1; round < ROUNDS; round++) {
        const rates = [
          await requestsPerSecond(bare.url + path, {}, ROUND_MS),
          await requestsPerSecond(app.url + path, { ...headers }, ROUND_MS),
        ];
        if (round >= 0) theirs.push(rates[0] ?? 0);
        if (round >= 0) ours.push(rates[1] ?? 0);
      }
      figures.push({ name: `${path}, bare app: requests per second`, value: rounded(median(theirs)) });
      figures.push({ name: `${path}: requests per second`, value: rounded(median(ours)) });
      figures.push(ratio(`${path}: requests per second ÷ bare app`, median(ours), median(theirs), least, goal));
    }
    const html = Buffer.from(await (await fetch(`${app.url}/projects`, { headers: { Cookie: cookie } })).arrayBuffer());
    const compressed = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
    figures.push(atMost("/projects, 50 projects: HTML", html.length / 1000, 82, "KB", 70));
    figures.push(atMost("/projects, 50 projects: HTML, brotli", compressed.length / 1000, 12.5, "KB", 9));
    const fromBuild = (folder: string) => (path: string) => readFile(join(folder, "client", path));
    const bareBuild = fromBuild(join(import.meta.dirname, "../../node_modules/.cache/bare-app"));
    const ourBuild = fromBuild(join(import.meta.dirname, "../../build"));
    for (const [path, headers, most, goal] of [
      ["/sign-in", {}, 15, 8],
      ["/projects", { Cookie: cookie }, 65, 40],
    ] as const) {
      const theirs = await firstLoadScripts(bare.url + path, {}, bareBuild);
      const ours = await firstLoadScripts(app.url + path, { ...headers }, ourBuild);
      figures.push({
        name: `${path}: first-load JavaScript, gzip (bare app, ours)`,
        value: `${(theirs / 1024).toFixed(1)} and ${(ours / 1024).toFixed(1)} KiB`,
      });
      figures.push(atMost(`${path}: first-load JavaScript above the bare app`, (ours - theirs) / 1024, most, "KiB", goal));
    }
    return figures;
  } finally {
    await Promise.all([bare.stop(), app.dispose()]);
  }
}

export async function coldStart(): Promise<Figure[]> {
  const app = await startApp({ LOG_LEVEL: "warn" });
  const [ours, theirs]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < 5; round++) {
      await app.stop();
      let began = performance.now();
      await once(spawn(process.execPath, ["-e", "console.log('ready')"], { stdio: "ignore" }), "exit");
      theirs.push(performance.now() - began);
      began = performance.now();
      await app.start();
      await (await fetch(`${app.url}/sign-in`)).text();
      ours.push(performance.now() - began);
    }
  } finally {
    await app.dispose();
  }
  return [
    { name: "Node prints a line", value: `${rounded(median(theirs))} ms` },
    { name: "first page of the built app", value: `${rounded(median(ours))} ms` },
    atMost("first page above Node's start", median(ours) - median(theirs), 1500, "ms", 700),
  ];
}

export async function rows(): Promise<Figure[]> {
  const app = await startApp({ LOG_LEVEL: "warn" });
  try {
    const { convex, cookie } = await clientOf(app, await signUp(app.url));
    const figures: Figure[] = [];
    let there = 0;
    let first = 0;
    for (const count of [100, 1000, 10_000]) {
      for (; there < count; there += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => addProjects(convex, 1, there + n)));
      const times: number[] = [];
      for (let n = -20; n < 100; n++) {
        const began = performance.now();
        await (await fetch(`${app.url}/projects`, { headers: { Cookie: cookie } })).text();
        if (n >= 0) times.push(performance.now() - began);
      }
      first ||= median(times);
      figures.push({ name: `/projects with ${rounded(count)} projects`, value: `${median(times).toFixed(1)} ms` });
      if (count > 100) figures.push(atMost(`/projects with ${rounded(count)} ÷ with 100 projects`, median(times) / first, 1.3, "", 1.1));
    }
    return figures;
  } finally {
    await app.dispose();
  }
}
