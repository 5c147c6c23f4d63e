import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CONFLICT_RETRIES } from "~/lib/data/write-conflicts";
import { DeploymentDiskFull, deploymentFetch, noticeUnavailable, Unavailable } from "./unavailable.server";

let server: Server | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  server?.close();
});

async function listen(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

const answering = (status: number) => listen((_, response) => response.writeHead(status).end("answer"));

describe("deploymentFetch", () => {
  it("returns responses, including function errors (560) and client errors", async () => {
    for (const status of [200, 400, 401, 560]) {
      expect((await deploymentFetch(await answering(status))).status).toBe(status);
      server?.close();
    }
  });

  it.each([429, 500, 502, 503])("throws Unavailable for %d", async (status) => {
    await expect(deploymentFetch(await answering(status))).rejects.toBeInstanceOf(Unavailable);
  });

  it("throws DeploymentDiskFull for 507", async () => {
    await expect(deploymentFetch(await answering(507))).rejects.toBeInstanceOf(DeploymentDiskFull);
  });

  async function conflicting(times: number) {
    // Divides the pauses between retries by 100.
    vi.spyOn(Math, "random").mockReturnValue(-0.99);
    let requests = 0;
    const conflict = JSON.stringify({ code: "OptimisticConcurrencyControlFailure", message: "Documents changed." });
    const address = await listen((_, response) => (++requests > times ? response.end("stored") : response.writeHead(503).end(conflict)));
    return { address, requests: () => requests };
  }

  it("sends a call with a write conflict again", { tags: "@retries-write-conflicts" }, async () => {
    const { address, requests } = await conflicting(3);
    expect(await (await deploymentFetch(address)).text()).toBe("stored");
    expect(requests()).toBe(4);
  });

  it("throws Unavailable for a conflict after the last retry", async () => {
    const { address, requests } = await conflicting(99);
    await expect(deploymentFetch(address)).rejects.toBeInstanceOf(Unavailable);
    expect(requests()).toBe(CONFLICT_RETRIES + 1);
  });

  it("gives up after ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const requested = Promise.withResolvers<void>();
    const address = await listen(() => requested.resolve());
    const answer = deploymentFetch(address).catch((error: unknown) => error);
    await requested.promise;
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(await answer).toBeInstanceOf(Unavailable);
    vi.useRealTimers();
    server?.closeAllConnections();
  });

  it("throws when the connection is refused", async () => {
    await expect(deploymentFetch("http://127.0.0.1:3")).rejects.toBeInstanceOf(Unavailable);
  });
});

describe("noticeUnavailable", () => {
  it("reports a swallowed error", async () => {
    const { outcome, unavailable } = await noticeUnavailable(async () => {
      await deploymentFetch("http://127.0.0.1:3").catch(() => null);
      return "no session";
    });
    expect(outcome).toEqual({ status: "fulfilled", value: "no session" });
    expect(unavailable).toBe(true);
  });

  it("reports an error only for its own request", async () => {
    const [down, up] = await Promise.all([
      noticeUnavailable(() => deploymentFetch("http://127.0.0.1:3")),
      noticeUnavailable(async () => new Promise((resolve) => setTimeout(resolve, 50))),
    ]);
    expect(down.outcome.status).toBe("rejected");
    expect(down.unavailable).toBe(true);
    expect(up.unavailable).toBe(false);
  });
});
