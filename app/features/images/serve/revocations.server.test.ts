import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { type Backend, probe, signUp } from "../../../../tests/convex/backends";
import { shareProject } from "../../../../tests/convex/shared-project";
import { api } from "#convex/_generated/api";
import type { AppConfig } from "~/config";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { refusalOf } from "~/lib/data/error-responses";
import { createAccessCache, GRANT_MS } from "./access-cache.server";
import { followRevocations } from "./revocations.server";

const PATIENCE = { timeout: 20_000 };

describe("followRevocations", () => {
  let app: Awaited<ReturnType<typeof startAppBackend>>;
  let backend: Backend;
  let config: AppConfig;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    app = await startAppBackend();
    ({ backend, config } = app);
  });
  afterAll(() => app.close());
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function startServer(url = config.convexUrl) {
    const revocations = followRevocations({ ...config, convexUrl: url });
    closing.push(() => revocations.close());
    let now = 0;
    let calls = 0;
    const load = async (sessionId: string, imageId: string) => {
      calls++;
      return serviceConvex(config)
        .query(api.uploads.getFile, { sessionId, imageId })
        .catch((error: unknown) => {
          if (refusalOf(error)) return null;
          throw error;
        });
    };
    const cache = createAccessCache(load, () => now, undefined, revocations);
    const state = (rows: string[] = [], position = revocations.position()) => revocations.stateOf(rows, position);
    await expect.poll(() => state(), PATIENCE).toBe("unchanged");
    return {
      revocations,
      state,
      get: (sessionId: string, imageId: string) => cache.get(sessionId, imageId),
      calls: () => calls,
      pass: (ms: number) => (now += ms),
    };
  }

  async function startLink() {
    const { hostname, port } = new URL(config.convexUrl);
    const pairs = new Set<[Socket, Socket]>();
    let isLost = false;
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      const pair: [Socket, Socket] = [near, far];
      pairs.add(pair);
      for (const [one, other] of [pair, [far, near] as const]) {
        one.on("data", (bytes) => !isLost && other.write(bytes));
        one.on("error", () => other.destroy());
        one.on("close", () => {
          pairs.delete(pair);
          other.destroy();
        });
      }
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const destroyAll = () => pairs.forEach(([near]) => near.destroy());
    closing.push(async () => {
      destroyAll();
      server.close();
      await once(server, "close");
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      lose: () => (isLost = true),
      restore() {
        isLost = false;
        destroyAll();
      },
    };
  }

  it("ends access on every app server without waiting for the grant to expire", { tags: "@revoked-everywhere" }, async () => {
    const { ada, eve, project, image } = await shareProject(backend, "viewer");
    const servers = await Promise.all([startServer(), startServer()]);
    for (const server of servers) {
      expect(await server.get(eve.sessionId, image)).toMatchObject({ name: "fig" });
      expect(await server.get(ada.sessionId, image)).toMatchObject({ name: "fig" });
    }
    await ada.mutation(api.members.remove, { projectId: project, userId: eve.userId });
    for (const server of servers) await expect.poll(() => server.get(eve.sessionId, image), PATIENCE).toBeNull();
    const before = servers.map(({ calls }) => calls());
    for (const server of servers) expect(await server.get(ada.sessionId, image)).toMatchObject({ name: "fig" });
    expect(servers.map(({ calls }) => calls())).toEqual(before);
  });

  it("checks access again after ten seconds while the connection is lost", { tags: "@revocations-lost" }, async () => {
    const { ada, eve, project, image, member } = await shareProject(backend, "viewer");
    const link = await startLink();
    const server = await startServer(link.url);
    await server.get(eve.sessionId, image);
    server.pass(10 * GRANT_MS);
    await server.get(eve.sessionId, image);
    expect(server.calls()).toBe(1);

    const position = server.revocations.position();
    link.lose();
    await expect.poll(() => server.state(), PATIENCE).toBe("unknown");
    await ada.mutation(api.members.remove, { projectId: project, userId: eve.userId });
    expect(server.state([member], position)).toBe("unknown");
    expect(await server.get(eve.sessionId, image)).toBeNull();
    expect(server.calls()).toBe(2);

    link.restore();
    await expect.poll(() => server.state(), PATIENCE).toBe("unchanged");
    expect(server.state([member], position)).toBe("changed");
  });

  it("reads revocations that it missed while the deployment restarted", async () => {
    const { ada, image } = await shareProject(backend, "viewer");
    const server = await startServer();
    await server.get(ada.sessionId, image);
    const position = server.revocations.position();
    await backend.crash?.();
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    await expect.poll(() => server.state([image], position), PATIENCE).toBe("changed");
    expect(await server.get(ada.sessionId, image)).toBeNull();
  });

  it("treats all rows as changed after more revocations than one answer lists", async () => {
    const server = await startServer();
    const position = server.revocations.position();
    const rows = Array.from({ length: 150 }, (_, number) => ({ rows: [`row ${number}`] }));
    await backend.inside.mutation(probe.insertMany, { table: "revocations", rows });
    await expect.poll(() => server.state(["another"], position), PATIENCE).toBe("changed");
    await expect.poll(() => server.state(), PATIENCE).toBe("unchanged");
    const later = server.revocations.position();
    const ada = await signUp(backend, "ada");
    const project = await ada.mutation(api.projects.create, { name: "a project" });
    await ada.mutation(api.projects.moveToTrash, { id: project });
    await expect.poll(() => server.state([project], later), PATIENCE).toBe("changed");
  });
});
