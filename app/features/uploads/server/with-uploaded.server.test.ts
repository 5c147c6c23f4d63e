import { randomUUID } from "node:crypto";
import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { appServer, type Backend, type Person, signUp } from "../../../../tests/convex/backends";
import { pictureBytes } from "../../../../tests/fixtures/pictures";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import type { AppConfig } from "~/config";
import { configContext } from "~/lib/http/context";
import { handleMultipartUpload } from "./handle-multipart-upload.server";
import { answerUpload } from "./tus-protocol.server";
import { uploadsFor } from "./uploads.server";
import { withUploaded } from "./with-uploaded.server";

let visitor: { userId: string; sessionId: string };

vi.mock("~/features/accounts/session/session.server", () => ({ getVisitor: async () => visitor, redirectToSignIn: () => new Response() }));

let app: Awaited<ReturnType<typeof startAppBackend>>;
let backend: Backend;
let config: AppConfig;
let ada: Person;
let designId: Id<"designs">;
let picture: Buffer<ArrayBuffer>;

beforeAll(async () => {
  app = await startAppBackend();
  ({ backend, config } = app);
  picture = Buffer.from(await pictureBytes("fig"));
});
afterAll(() => app.close());
beforeEach(async () => {
  ada = await signUp(backend, "ada");
  config = { ...config, storageQuotaBytes: Infinity };
  visitor = { userId: ada.userId, sessionId: ada.sessionId };
  designId = await makeDesign();
});

const context = () => {
  const created = new RouterContextProvider();
  created.set(configContext, config);
  return created;
};

async function makeDesign(): Promise<Id<"designs">> {
  const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
  return ada.mutation(api.designs.create, { projectId, name: "Cover" });
}

async function upload(fields: Record<string, string>, length = picture.length, body: Buffer<ArrayBuffer> | null = picture) {
  const metadata = Object.entries({ filename: "new.jpg", ...fields }).map(([key, value]) => `${key} ${btoa(value)}`);
  const headers = {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": String(length),
    "Upload-Metadata": metadata.join(","),
    "Content-Type": "application/offset+octet-stream",
  };
  const answer = await answerUpload(new Request("http://localhost/uploads", { method: "POST", headers, body }), context());
  return { status: answer.status, id: answer.headers.get("Location")?.split("/").at(-1) ?? "" };
}

function replace(imageId: string, uploaded: string) {
  const body = new FormData();
  body.append("sending", randomUUID());
  body.append("uploaded", uploaded);
  return handleMultipartUpload(new Request("http://localhost/", { method: "POST", body }), designId, context(), imageId);
}

async function addImage(): Promise<string> {
  const server = await appServer(backend);
  const storageId = await backend.store(new Uint8Array([1, 2, 3]));
  const properties = {
    contentType: "image/png",
    size: 3,
    width: 1,
    height: 1,
    checksum: "0".repeat(64),
    placeholder: null,
    animated: false,
  };
  const file = { uploadId: randomUUID(), storageId, name: "old.png", ...properties };
  return server.mutation(api.uploads.finalize, { sessionId: ada.sessionId, designId, ...file });
}

const sizes = async () => (await ada.query(api.designImages.getDesignImagesByDesignId, { designId })).map(({ size }) => size);

it("adds a version from an upload once, within the quota that the upload reserves", async () => {
  const imageId = await addImage();
  config = { ...config, storageQuotaBytes: picture.length + 3 };
  const { id } = await upload({ for: "version", design: designId });
  expect(await replace(imageId, id)).toEqual({ results: [{ name: "new.jpg", ok: true, imageId }] });
  expect(await sizes()).toEqual([picture.length]);
  expect((await replace(imageId, id)).problem).toMatch(/expired/);
  expect(await uploadsFor(config).partialUploads.unfinished(ada.userId)).toEqual([]);
});

it("keeps an upload above the quota, so that it need not be sent again", async () => {
  const imageId = await addImage();
  const { id } = await upload({ for: "version", design: designId });
  config = { ...config, storageQuotaBytes: 1 };
  expect(await replace(imageId, id)).toMatchObject({ results: [{ ok: false, again: true }] });
  config = { ...config, storageQuotaBytes: Infinity };
  expect(await replace(imageId, id)).toMatchObject({ results: [{ ok: true }] });
  expect(await uploadsFor(config).partialUploads.unfinished(ada.userId)).toEqual([]);
});

it("accepts only the user's own complete upload for the same design", async () => {
  const imageId = await addImage();
  const ids = [
    await upload({ for: "version", design: designId }, picture.length + 1),
    await upload({ for: "version", design: await makeDesign() }),
    await upload({ for: "picture" }),
  ].map(({ id }) => id);
  const { userId } = visitor;
  const own = await upload({ for: "version", design: designId });
  for (const id of [...ids, randomUUID(), "../secrets"]) expect((await replace(imageId, id)).problem).toMatch(/expired/);
  visitor = { ...visitor, userId: "somebody else" };
  expect((await replace(imageId, own.id)).problem).toMatch(/expired/);
  visitor = { ...visitor, userId };
  expect((await replace(imageId, own.id)).results).toMatchObject([{ ok: true }]);
});

it("limits the number and size of account pictures, and adds no images", async () => {
  const megabytes = 1024 * 1024;
  expect((await upload({ for: "picture" }, 20 * megabytes + 1, null)).status).toBe(413);
  const uploads = [];
  for (let each = 0; each < 6; each++) uploads.push(await upload({ for: "picture" }));
  expect(uploads.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
  const finishing = new Request("http://localhost/", { method: "POST" });
  expect((await answerUpload(finishing, context(), { id: uploads[0]?.id ?? "", finish: true })).status).toBe(404);
});

it("accepts ten images of comments at a time, of the size of other uploads", async () => {
  expect((await upload({ for: "comment" }, config.uploadMaxBytes + 1, null)).status).toBe(413);
  expect((await upload({ for: "comment" }, config.uploadMaxBytes, null)).status).toBe(201);
  const uploads = [];
  for (let each = 0; each < 10; each++) uploads.push(await upload({ for: "comment" }));
  expect(uploads.map(({ status }) => status)).toEqual([...Array<number>(9).fill(201), 429]);
  const images = await withUploaded({ config, userId: ada.userId, id: uploads[0]?.id ?? "", designId: null }, async ({ name }) => name);
  expect(images).toBe("new.jpg");
});

it("counts pictures and images of comments apart, and describes each", async () => {
  const comments = [];
  for (let each = 0; each < 10; each++) comments.push(await upload({ for: "comment" }));
  const one = await upload({ for: "picture" });
  expect(one.status).toBe(201);
  const metadataOf = async (id: string) => {
    const request = new Request("http://localhost/", { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } });
    return (await answerUpload(request, context(), { id })).headers.get("Upload-Metadata");
  };
  expect(await metadataOf(one.id)).toContain(`for ${btoa("picture")}`);
  expect(await metadataOf(comments[0]?.id ?? "")).toContain(`for ${btoa("comment")}`);
});
