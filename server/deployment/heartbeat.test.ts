import { createServer } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { log } from "../logging/log.ts";
import { watchHeartbeat, watchRemote } from "./heartbeat.ts";

log.level = "silent";
let now: number;
beforeEach(() => {
  vi.useFakeTimers();
  now = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function pass(seconds: number): void {
  for (let each = 0; each < seconds; each += 1) {
    now += 1000;
    vi.advanceTimersByTime(1000);
  }
}

it("reports 30 s without a beat once", () => {
  const silence = vi.fn<() => void>();
  const heartbeat = watchHeartbeat(silence, () => now);
  pass(29);
  heartbeat.beat();
  pass(29);
  expect(silence).not.toHaveBeenCalled();
  pass(40);
  expect(silence).toHaveBeenCalledTimes(1);
});

it("does not count time in which its own process was suspended", () => {
  const silence = vi.fn<() => void>();
  watchHeartbeat(silence, () => now);
  pass(10);
  now += 3_600_000;
  pass(10);
  expect(silence).not.toHaveBeenCalled();
  pass(20);
  expect(silence).toHaveBeenCalledTimes(1);
});

it("ignores the wall clock", () => {
  const silence = vi.fn<() => void>();
  watchHeartbeat(silence, () => now);
  vi.setSystemTime(Date.now() + 86_400_000);
  pass(5);
  expect(silence).not.toHaveBeenCalled();
});

it("reports when a remote deployment stops and starts responding", async () => {
  vi.useRealTimers();
  let hangs = false;
  const server = createServer((_request, response) => void (hangs || response.end()));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const error = vi.spyOn(log, "error");
  const info = vi.spyOn(log, "info");
  const end = watchRemote(url, log);
  vi.advanceTimersByTime(20_000);
  expect(error).not.toHaveBeenCalled();
  hangs = true;
  server.closeAllConnections();
  vi.advanceTimersByTime(40_000);
  expect(error).toHaveBeenCalledExactlyOnceWith({ deployment: url }, "the deployment has not answered for 30 s");
  hangs = false;
  server.closeAllConnections();
  vi.advanceTimersByTime(10_000);
  await vi.waitFor(() => expect(info).toHaveBeenCalledWith({ deployment: url }, "the deployment responds again"), {
    interval: 20,
    timeout: 10_000,
  });
  end();
  server.closeAllConnections();
  server.close();
});
