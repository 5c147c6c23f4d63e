import type { Page } from "@playwright/test";

/** Wraps the calls that uploads make, so that the page records a performance measure for each. Must run before the page loads. */
export async function recordPhases(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const phases: Record<string, { count: number; ms: number }> = {};
    const thumbnails: string[] = [];
    Object.assign(window, { phases, thumbnails });
    const record = (name: string, ms: number) => {
      const phase = (phases[name] ??= { count: 0, ms: 0 });
      phase.count++;
      phase.ms += ms;
    };
    const timed = (name: string, ended: Promise<unknown>) => {
      const start = performance.now();
      const end = () => record(name, performance.measure(name, { start, end: performance.now() }).duration);
      ended.then(end, end);
    };
    const onCall = (prototype: object, method: string, called: (result: unknown, self: unknown, first: unknown) => void) => {
      const original: unknown = Reflect.get(prototype, method);
      if (typeof original !== "function") return;
      Reflect.set(prototype, method, function wrapped(this: unknown, ...args: unknown[]): unknown {
        const result: unknown = Reflect.apply(original, this, args);
        called(result, this, args[0]);
        return result;
      });
    };
    onCall(Blob.prototype, "arrayBuffer", (read) => timed("read", Promise.resolve(read)));
    onCall(Object.getPrototypeOf(crypto.subtle ?? {}), "digest", (hashed) => timed("SHA-256", Promise.resolve(hashed)));
    onCall(IDBObjectStore.prototype, "put", (_, store, value) => {
      if (!(value instanceof Blob && store instanceof IDBObjectStore)) return;
      const { transaction } = store;
      timed("copy to IndexedDB", new Promise((resolve) => transaction.addEventListener("complete", resolve)));
    });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) {
        const { pathname, search } = new URL(name);
        if (pathname === "/uploads") record("POST", duration);
        else if (/^\/uploads\/[^/]+\/finish$/.test(pathname)) record("finish", duration);
        else if (pathname.startsWith("/uploads/")) record("PATCH", duration);
        else if (pathname.startsWith("/images/")) {
          record("thumbnail", duration);
          thumbnails.push(search);
        }
      }
    }).observe({ type: "resource" });
  });
}

export async function phasesOf(page: Page): Promise<{ phases: string; thumbnails: string[] }> {
  const phases = await page.evaluate((): Record<string, { count: number; ms: number }> => Reflect.get(window, "phases"));
  const thumbnails = await page.evaluate((): string[] => Reflect.get(window, "thumbnails"));
  const texts = Object.entries(phases).map(([name, { count, ms }]) => `${name} ${count} × ${(ms / count).toFixed(0)} ms`);
  return { phases: texts.join(", "), thumbnails };
}
