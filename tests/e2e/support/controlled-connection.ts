import { expect, type Page, type WebSocketRoute } from "@playwright/test";

export const LOST = { code: 1011 };
export const SYNC = /\/api\/\d[^/]*\/sync$/;

export async function controlConnection(page: Page) {
  let held = false;
  let down = false;
  const waiting: (() => void)[] = [];
  const sockets: WebSocketRoute[] = [];
  const silenced = new Set<WebSocketRoute>();
  let answered = false;
  let heartbeats = 0;
  let rewrite = (message: string) => message;
  const through = (pass: () => void) => (held ? void waiting.push(pass) : pass());
  page.on("domcontentloaded", () => (answered = false));
  await page.routeWebSocket(SYNC, (socket) => {
    if (down) return void socket.close(LOST);
    sockets.push(socket);
    const server = socket.connectToServer();
    socket.onMessage((message) => through(() => void (silenced.has(socket) || server.send(message))));
    server.onMessage((message) =>
      through(() => {
        if (silenced.has(socket)) return;
        socket.send(rewrite(String(message)));
        if (String(message).includes('"Transition"')) answered = true;
        if (String(message).includes('"answers":"Heartbeat"')) heartbeats++;
      }),
    );
  });
  await page.route("**/sync-stream", (route) => (down ? route.abort() : route.continue()));
  return {
    async live() {
      await expect.poll(() => answered).toBe(true);
      await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
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
