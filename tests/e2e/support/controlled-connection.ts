import { expect, type Page, type WebSocketRoute } from "@playwright/test";

export const LOST = { code: 1011 };
export const SYNC = /\/api\/\d[^/]*\/sync$/;

function querySetVersion(message: string | Buffer, key: "newVersion" | "querySet") {
  const { type, ...rest } = JSON.parse(String(message));
  if (type === "ModifyQuerySet" && key === "newVersion") return Number(rest.newVersion);
  if (type === "Transition" && key === "querySet") return Number(rest.endVersion.querySet);
  return undefined;
}

export async function controlConnection(page: Page) {
  let held = false;
  let down = false;
  const waiting: (() => void)[] = [];
  const sockets: WebSocketRoute[] = [];
  const silenced = new Set<WebSocketRoute>();
  let queries = { sent: 0, answered: 0 };
  let heartbeats = 0;
  let rewrite = (message: string) => message;
  const through = (pass: () => void) => (held ? void waiting.push(pass) : pass());
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) queries = { sent: 0, answered: 0 };
  });
  await page.routeWebSocket(SYNC, (socket) => {
    if (down) return void socket.close(LOST);
    sockets.push(socket);
    const versions = { sent: 0, answered: 0 };
    queries = versions;
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      versions.sent = querySetVersion(message, "newVersion") ?? versions.sent;
      through(() => void (silenced.has(socket) || server.send(message)));
    });
    server.onMessage((message) =>
      through(() => {
        if (silenced.has(socket)) return;
        socket.send(rewrite(String(message)));
        versions.answered = querySetVersion(message, "querySet") ?? versions.answered;
        if (String(message).includes('"answers":"Heartbeat"')) heartbeats++;
      }),
    );
  });
  await page.route("**/sync-stream", (route) => (down ? route.abort() : route.continue()));
  return {
    async live() {
      const frames = () => page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
      const answered = () => queries.sent > 0 && queries.answered === queries.sent;
      await expect.poll(() => frames().then(answered)).toBe(true);
      await frames();
    },
    heartbeats: () => heartbeats,
    rewrite: (how: (message: string) => string) => (rewrite = how),
    hold: () => (held = true),
    release() {
      held = false;
      for (const pass of waiting.splice(0)) pass();
    },
    async cut() {
      down = true;
      await Promise.all(sockets.splice(0).map((socket) => socket.close(LOST)));
    },
    silence() {
      for (const socket of sockets.splice(0)) silenced.add(socket);
    },
    restore: () => (down = false),
  };
}
