import { createServer } from "node:http";
import { once } from "node:events";
import { chromium, type Page } from "@playwright/test";
import { WebSocketServer } from "ws";
import { api } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.d.ts";
import { joinProject } from "../../tests/e2e/support/members.ts";
import { deploymentAs } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { signUp } from "../../tests/harness/people.ts";
import { hydrated, openBrowser, type Person, type RunningApp } from "../../tests/harness/test.ts";
import { atMost, median, type Figure, percentile } from "../report.ts";

const CHANGES = 200;

export async function paint(): Promise<Figure[]> {
  const app = await startApp({ LOG_LEVEL: "warn" });
  const browser = await chromium.launch(await launchOptions());
  const bare = await startBare();
  try {
    const person = await signUp(app.url);
    const convex = await deploymentAs(app, person);
    const id = await convex.mutation(api.projects.create, { name: "before" });
    const ours = await openBrowser(browser, app, person);
    await ours.goto("/projects");
    await hydrated(ours);
    await live(ours, (name) => convex.mutation(api.projects.rename, { id, name }));
    const theirs = await browser.newPage();
    await theirs.goto(bare.url);
    await theirs.waitForFunction(() => document.querySelector("h2")?.textContent === "open");

    const times = { ours: [] as number[], theirs: [] as number[] };
    for (let n = 0; n < CHANGES; n++) {
      times.theirs.push(await untilPainted(theirs, `change ${n}`, bare.send));
      times.ours.push(await untilPainted(ours, `change ${n}`, (name) => convex.mutation(api.projects.rename, { id, name })));
    }
    const comments = await paintComments(app, ours, person, id);
    const [p50, p99] = [median(times.ours), percentile(times.ours, 0.99)];
    return [
      { name: "bare websocket message until painted, p50 and p99", value: both(times.theirs) },
      { name: "mutation until painted in a second browser, p50 and p99", value: both(times.ours) },
      atMost("p50 above the bare websocket", p50 - median(times.theirs), 15, "ms", 8),
      atMost("p99 above the bare websocket", p99 - percentile(times.theirs, 0.99), 60, "ms", 12),
      atMost("p99", p99, 250, "ms"),
      { name: "comment until painted in a second browser, p50 and p99", value: both(comments) },
      atMost("comment: p50 above other changes", median(comments) - p50, 25, "ms", 8),
      atMost("comment: p99", percentile(comments, 0.99), 250, "ms"),
    ];
  } finally {
    await browser.close();
    await bare.close();
    await app.dispose();
  }
}

const COMMENTS_EACH = 25;
const AUTHORS = 4;

async function paintComments(app: RunningApp, page: Page, owner: Person, projectId: Id<"projects">): Promise<number[]> {
  const designId = await (await deploymentAs(app, owner)).mutation(api.designs.create, { projectId, name: "Commented" });
  const authors: Awaited<ReturnType<typeof deploymentAs>>[] = [];
  for (let author = 0; author < AUTHORS; author++) {
    const person = await signUp(app.url, `Author ${author}`);
    await joinProject(app, { owner, member: person, projectId, role: "commenter" });
    authors.push(await deploymentAs(app, person));
  }
  await page.goto(`/design/${designId}/comments`);
  await hydrated(page);
  const times: number[] = [];
  for (const [author, convex] of authors.entries()) {
    for (let n = 0; n < COMMENTS_EACH; n++) {
      const comment = `comment ${author} ${n}`;
      const send = (text: string) => convex.mutation(api.comments.startThread, { itemId: designId, text, key: text });
      const taken = await untilPainted(page, comment, send, ".comment-text");
      if (author > 0 || n > 0) times.push(taken);
    }
  }
  return times;
}

const both = (times: number[]) => `${median(times).toFixed(1)} and ${percentile(times, 0.99).toFixed(1)} ms`;

async function live(page: Page, change: (name: string) => Promise<unknown>): Promise<void> {
  await change("live");
  await page.waitForFunction(() => document.querySelector("h2")?.textContent === "live");
}

async function untilPainted(page: Page, name: string, change: (name: string) => unknown, selector = "h2"): Promise<number> {
  await page.evaluate(
    ([wanted, shown]) => {
      const at = Promise.withResolvers<number>();
      const sample = () => {
        if (document.querySelector(shown)?.textContent !== wanted) return false;
        requestAnimationFrame(() => setTimeout(() => at.resolve(performance.timeOrigin + performance.now())));
        observer.disconnect();
        return true;
      };
      const observer = new MutationObserver(sample);
      observer.observe(document, { childList: true, subtree: true, characterData: true });
      sample();
      Object.assign(window, { painted: at.promise });
    },
    [name, selector] as const,
  );
  const before = performance.timeOrigin + performance.now();
  await change(name);
  const painted = await page.evaluate(() => Reflect.get(window, "painted"));
  return Number(painted) - before;
}

async function startBare() {
  const script = `const socket = new WebSocket(location.origin.replace("http", "ws"));
    const title = document.querySelector("h2");
    socket.onopen = () => (title.textContent = "open");
    socket.onmessage = ({ data }) => (title.textContent = data);`;
  const server = createServer((_, response) =>
    response.setHeader("Content-Type", "text/html").end(`<!doctype html><h2>-</h2><script>${script}</script>`),
  );
  const sockets = new WebSocketServer({ server });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    send: (text: string) => sockets.clients.forEach((socket) => socket.send(text)),
    async close() {
      sockets.clients.forEach((socket) => socket.terminate());
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
