import { expect, type Page, type WebSocketRoute } from "@playwright/test";

/** How a connection ends that nobody has closed, as far as a script can tell a page. */
export const LOST = { code: 1011 };
/** The address of the deployment's websocket, whether the app's server forwards it or browsers go there themselves. */
export const SYNC = /\/api\/\d[^/]*\/sync$/;

/** Stands between a page and the deployment's websocket: can hold back what goes through, and cut it off. */
export async function holdable(page: Page) {
  let held = false;
  let down = false;
  const waiting: (() => void)[] = [];
  const sockets: WebSocketRoute[] = [];
  let answered = false;
  let rewrite = (message: string) => message;
  const through = (pass: () => void) => (held ? void waiting.push(pass) : pass());
  page.on("domcontentloaded", () => (answered = false));
  await page.routeWebSocket(SYNC, (socket) => {
    if (down) return void socket.close(LOST);
    sockets.push(socket);
    const server = socket.connectToServer();
    socket.onMessage((message) => through(() => server.send(message)));
    server.onMessage((message) =>
      through(() => {
        socket.send(rewrite(String(message)));
        if (String(message).includes('"Transition"')) answered = true;
      }),
    );
  });
  return {
    /** Until the page has its first live answer, and has shown it. */
    async live() {
      await expect.poll(() => answered).toBe(true);
      await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown))));
    },
    /** Changes what the deployment says from now on. */
    rewrite: (how: (message: string) => string) => (rewrite = how),
    hold: () => (held = true),
    release() {
      held = false;
      for (const pass of waiting.splice(0)) pass();
    },
    /** Ends the connection, as when the network goes, and lets none stand until `restore`. */
    async cut() {
      down = true;
      await Promise.all(sockets.splice(0).map((socket) => socket.close(LOST)));
    },
    restore: () => (down = false),
  };
}
