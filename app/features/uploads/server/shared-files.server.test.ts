import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { type Backend, type Person, signUp } from "../../../../tests/convex/backends";
import { api } from "#convex/_generated/api";
import { limit } from "#convex/model/errors";
import type { AppConfig } from "~/config";
import { convexContext, type RequestConvex } from "~/lib/data/convex.server";
import { configContext } from "~/lib/http/context";
import { MAX_FILES } from "../upload-result";
import { addSharedToNewProject, sharedFiles, storeShared } from "./shared-files.server";
import { uploadsFor } from "./uploads.server";

let visitor: { userId: string; sessionId: string };
const flashes: string[] = [];

vi.mock("~/features/accounts/session/session.server", () => ({ getVisitor: async () => visitor, redirectToSignIn: () => new Response() }));
vi.mock("~/lib/http/middleware/flash.server", () => ({ setFlash: (_: unknown, text: string) => flashes.push(text) }));

let app: Awaited<ReturnType<typeof startAppBackend>>;
let backend: Backend;
let config: AppConfig;
let ada: Person;

beforeAll(async () => {
  app = await startAppBackend();
  ({ backend, config } = app);
});
afterAll(() => app.close());
beforeEach(async () => {
  ada = await signUp(backend, "ada");
  visitor = { userId: ada.userId, sessionId: ada.sessionId };
  flashes.length = 0;
});

const formOf = (...files: [name: string, content: string][]) => {
  const form = new FormData();
  for (const [name, content] of files) form.append("files", new File([content], name));
  return form;
};

async function share(body: FormData | ReadableStream, headers: Record<string, string> = {}): Promise<void> {
  const context = new RouterContextProvider();
  context.set(configContext, config);
  const init: RequestInit & { duplex: "half" } = { method: "POST", body, headers, duplex: "half" };
  await storeShared(new Request("http://localhost/share", init), context);
}
const names = async () => (await sharedFiles(visitor.userId, config)).map(({ name }) => name);

it("refuses shared files beyond the quota, which waiting files count towards", async () => {
  config = { ...config, storageQuotaBytes: 10 };
  await share(formOf(["a.png", "123456"], ["b.png", "12345"], ["c.png", "1234"]));
  expect(await names()).toEqual(["a.png", "c.png"]);
  expect(flashes).toEqual([
    expect.stringMatching(/^1 file not shared\. Not enough storage: the file needs 5 bytes, but 4 bytes of 10 bytes is free\./),
  ]);
  config = { ...config, storageQuotaBytes: Infinity };
});

it("keeps the latest shared files, also of an incomplete share", async () => {
  const { partialUploads } = uploadsFor(config);
  for (let index = 0; index < MAX_FILES; index++) {
    const file = { ownerId: visitor.userId, designId: null, name: `${index}.png`, length: 1, checksum: null, isShared: true };
    const part = await partialUploads.create(file);
    if (index > 0) await partialUploads.append(part, 0, new Blob(["x"]).stream());
  }
  const whole = new Response(formOf(["a.png", "1"], ["b.png", "1"], ["c.png", "1".repeat(1000)]));
  const bytes = await whole.clone().bytes();
  const cut = new TransformStream<Uint8Array, Uint8Array>();
  const headers = { "Content-Type": whole.headers.get("Content-Type") ?? "" };
  const sent = share(cut.readable, headers);
  const writer = cut.writable.getWriter();
  await writer.write(bytes.slice(0, bytes.length - 500));
  await expect.poll(names).toContain("b.png");
  await Promise.all([expect(sent).rejects.toMatchObject({ status: 400 }), writer.abort()]);
  const latest = await names();
  expect(await partialUploads.unfinished(visitor.userId)).toHaveLength(MAX_FILES);
  expect(latest).not.toContain("1.png");
  expect(latest.slice(-2)).toEqual(["a.png", "b.png"]);
});

function addToNewProject(mutation: RequestConvex["mutation"]) {
  const context = new RouterContextProvider();
  context.set(configContext, config);
  context.set(convexContext, { mutation, preload: vi.fn<RequestConvex["preload"]>() });
  return addSharedToNewProject(new Request("http://localhost/share/images"), visitor, context);
}

it("creates no project without shared files or beyond the plan's limit", async () => {
  const mutation = vi.fn<RequestConvex["mutation"]>().mockRejectedValue(limit("The Free plan includes 3 projects."));
  expect((await addToNewProject(mutation)).answer.problem).toMatch(/have expired/);
  expect(mutation).not.toHaveBeenCalled();
  await share(formOf(["a.png", "no image"]));
  expect((await addToNewProject(mutation)).answer.problem).toBe("The Free plan includes 3 projects.");
  expect(await names()).toEqual(["a.png"]);
});

it("leaves no project if no shared file is added", async () => {
  const empty = await ada.query(api.trash.getTrash, {});
  await share(formOf(["a.png", "no image"]));
  const { answer } = await addToNewProject((mutation, args) => ada.mutation(mutation, args));
  expect(answer.results).toMatchObject([{ name: "a.png", ok: false }]);
  expect(await ada.query(api.projects.getProjects, {})).toEqual([]);
  expect(await ada.query(api.trash.getTrash, {})).toEqual(empty);
});
