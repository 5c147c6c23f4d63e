import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppConfig } from "~/config";
import { testConfig } from "~/lib/http/testing";
import { api } from "#convex/_generated/api";
import { startTestDeployment, type TestDeployment } from "../../../../../tests/convex/deployment.ts";
import { authFor } from "../auth.server";
import { providerPictures } from "../plugins/providers/provider-pictures.server";
import { copyProviderPicture } from "./provider-picture.server";
import { serviceConvex } from "../../session/convex/service-client.server";

let deployment: TestDeployment;
let config: AppConfig;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "atelier-picture-"));
  deployment = await startTestDeployment();
  config = { ...testConfig, dataDir, convexUrl: deployment.url, signingKey: deployment.signingKey };
});
afterAll(async () => {
  await deployment.close();
  await rm(dataDir, { recursive: true });
});

const auth = () => authFor(config, new Request("https://atelier.example"));

async function newSession() {
  const fields = { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery" };
  const { token, user } = await auth().api.signUpEmail({ body: fields });
  const found = await (await auth().$context).internalAdapter.findSession(token ?? "");
  return { userId: user.id, sessionId: found?.session.id ?? "", session: found?.session ?? null };
}

it("stores a provider's picture as a local square", { tags: "@stores-providers-picture-local-square" }, async () => {
  const { userId, sessionId } = await newSession();
  const bytes = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#c33" } })
    .png()
    .toBuffer();
  const image = await copyProviderPicture({
    config,
    userId,
    sessionId,
    address: "https://cdn.example/ada.png",
    fetchPicture: async () => bytes,
  });
  expect(image).toMatch(new RegExp(`^/people/${userId}/picture\\?v=[0-9a-f]{16}$`));
  const stored = await serviceConvex(config).query(api.accounts.pictures.get, { sessionId, userId });
  expect(stored.contentType).toBe("image/webp");
  expect(await sharp(new Uint8Array(stored.bytes)).metadata()).toMatchObject({ format: "webp", width: 256, height: 256 });
  expect(await readdir(join(dataDir, "uploads"))).toEqual([]);
});

it("rejects other files and addresses in our own network", async () => {
  const { userId, sessionId } = await newSession();
  const page = async () => Buffer.from("<html></html>");
  await expect(copyProviderPicture({ config, userId, sessionId, address: "https://cdn.example/", fetchPicture: page })).rejects.toThrow(
    /picture|image|file/i,
  );
  await expect(copyProviderPicture({ config, userId, sessionId, address: "https://127.0.0.1/a.png" })).rejects.toThrow("not public");
  await expect(serviceConvex(config).query(api.accounts.pictures.get, { sessionId, userId })).rejects.toThrow("not_found");
});

describe("the hook after a sign-in by a provider", () => {
  const ADDRESS = "https://cdn.example/ada.png";
  const COPY = "/people/ada/picture?v=0123456789abcdef";
  const OTHER = "/people/ada/picture?v=1111111111111111";
  afterEach(() => vi.restoreAllMocks());

  async function signInBy(path: string, image: string, copy: (userId: string) => Promise<string> = async () => COPY) {
    const { userId, session } = await newSession();
    const context = await auth().$context;
    await context.internalAdapter.updateUser(userId, { image });
    const reads = vi.spyOn(context.internalAdapter, "findUserById");
    const writes = vi.spyOn(context.internalAdapter, "updateUser");
    const copies = vi.fn<Parameters<typeof providerPictures>[0]>(() => copy(userId));
    const { after } = providerPictures(copies).init(context).options.databaseHooks.session.create;
    await after(session, { path } as Parameters<typeof after>[1]);
    return { userId, session, copies, reads, writes };
  }

  it.each(["/callback/:id", "/sign-in/social"])(
    "stores the copy as the user's picture after %s",
    { tags: "@stores-copy-users-picture-after" },
    async (path) => {
      const { userId, session, copies, writes } = await signInBy(path, ADDRESS);
      await expect.poll(() => writes.mock.settledResults).toMatchObject([{ type: "fulfilled", value: { id: userId, image: COPY } }]);
      expect(copies.mock.calls).toEqual([[{ userId, sessionId: session?.id, address: ADDRESS }]]);
    },
  );

  it("copies nothing after a sign-in without a provider", async () => {
    const { copies, reads } = await signInBy("/sign-in/email", ADDRESS);
    expect([reads.mock.calls, copies.mock.calls]).toEqual([[], []]);
  });

  it("does not copy a local picture", async () => {
    const { copies, reads } = await signInBy("/callback/:id", OTHER);
    await settled(reads, 1);
    expect(copies).not.toHaveBeenCalled();
  });

  it("keeps a picture that was uploaded during the copy", async () => {
    const { reads, writes } = await signInBy("/callback/:id", ADDRESS, async (userId) => {
      await (await auth().$context).internalAdapter.updateUser(userId, { image: OTHER });
      return COPY;
    });
    await settled(reads, 2);
    expect(writes.mock.calls.map(([, fields]) => fields)).not.toContainEqual({ image: COPY });
  });

  async function settled(calls: { mock: { settledResults: { type: string }[] } }, count: number): Promise<void> {
    await expect.poll(() => calls.mock.settledResults.filter(({ type }) => type !== "incomplete").length).toBe(count);
    await new Promise(setImmediate);
  }
});
