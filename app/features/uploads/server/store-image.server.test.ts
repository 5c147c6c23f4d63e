import { createHash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { appServer, type Backend, type Person, probe, signOut, signUp } from "../../../../tests/convex/backends";
import { badFiles, makePdf, picturePath, sidewaysPhotograph, twoPages } from "../../../../tests/fixtures/pictures";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/lib/data/error-responses";
import { storeImage } from "./store-image.server";
import { storeImages } from "./store-images.server";
import { backfillMetadata } from "~/features/images/serve/backfill-metadata.server";

vi.mock("~/lib/http/fetch/plain-fetch.server", () => ({ plainFetch: (...[input, init]: Parameters<typeof fetch>) => fetch(input, init) }));

vi.mock("~/lib/http/files/send-file.server", () => ({
  async sendFile(address: string, path: string, { headers }: { headers: Record<string, string> }) {
    const answer = await fetch(address, { method: "POST", headers, body: await readFile(path) });
    return { status: answer.status, text: await answer.text() };
  },
}));

describe("storeImage", () => {
  let app: Awaited<ReturnType<typeof startAppBackend>>;
  let backend: Backend;
  let config: AppConfig;
  let folder: string;
  let ada: Person;
  let designId: Id<"designs">;

  beforeAll(async () => {
    app = await startAppBackend();
    ({ backend, config, folder } = app);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
    lost.clear();
    calls.length = 0;
  });
  afterEach(() => vi.unstubAllGlobals());

  async function storeFig(sending: string = crypto.randomUUID()) {
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    return storeImage(
      { index: 0, name: "fig.jpg", path, tooLarge: false, digest: null },
      { config, userId: "ada", sessionId: ada.sessionId, designId, sending },
    );
  }
  const images = () => ada.query(api.designImages.getDesignImagesByDesignId, { designId });
  const files = () => backend.inside.query(probe.filesAmong, { ids: calls.flatMap(({ storageId }) => (storageId ? [storageId] : [])) });

  const calls: { name: string; storageId?: Id<"_storage"> }[] = [];
  const lost = new Map<string, { what: "question" | "answer"; times: number }>();

  function breakLine(name: string, what: "question" | "answer", times: number) {
    lost.set(name, { what, times });
    const line = globalThis.fetch;
    vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit) => {
      const call = nameOf(input, init);
      const fault = lost.get(call);
      const fails = fault !== undefined && fault.times-- > 0;
      if (fails && fault.what === "question") throw new TypeError("fetch failed");
      const answer = await line(input, init);
      calls.push({ name: call, ...(call === "storage" && { storageId: (await answer.clone().json()).storageId }) });
      if (fails) throw new TypeError("fetch failed");
      return answer;
    });
  }

  it("reads the metadata that an earlier build did not store", async () => {
    const path = join(folder, crypto.randomUUID());
    await writeFile(path, (await sidewaysPhotograph()).buffer);
    const kept = await storeImage(
      { index: 0, name: "IMG_2041.jpg", path, tooLarge: false, digest: null },
      { config, userId: "ada", sessionId: ada.sessionId, designId, sending: "photograph" },
    );
    const imageId = kept.ok ? kept.imageId : "";
    const inPlace = () => ada.query(api.designImages.getDesignImageInPlace, { id: imageId });
    const { details } = await inPlace();
    expect(details).toMatchObject({ camera: "Lumen Pocket 3", hasPlace: true });

    const earlier = async () => {
      const { details: _, ...row } = (await backend.inside.query(probe.row, { table: "designImages", id: imageId })) ?? {};
      await backend.inside.mutation(probe.replace, { table: "designImages", id: imageId, row });
      return inPlace();
    };
    const of = { sessionId: ada.sessionId, imageId };
    backfillMetadata({ ...of, userId: "ada" }, await earlier(), config);
    await expect.poll(async () => (await inPlace()).details).toEqual(details);

    await earlier();
    const server = await appServer(backend);
    await server.mutation(api.uploads.noteDetails, { ...of, checksum: "0".repeat(64), details: { hasPlace: false } });
    expect((await inPlace()).details).toBeUndefined();
  });

  it("creates a picture once for each submission of its form", async () => {
    breakLine("nothing", "answer", 0);
    const first = await storeFig("form 1");
    const again = await storeFig("form 1");
    const other = await storeFig("form 2");
    expect([first.ok, again, other.ok]).toEqual([true, first, true]);
    expect((await images()).map(({ name, width, height }) => [name, width, height])).toEqual([
      ["fig.jpg", 1600, 1082],
      ["fig.jpg", 1600, 1082],
    ]);
    expect([calls.filter(({ name }) => name === "storage").length, (await files()).length]).toEqual([3, 2]);
  });

  it("retries an unanswered finalize and creates one picture", async () => {
    breakLine("uploads:finalize", "answer", 1);
    expect((await storeFig()).ok).toBe(true);
    expect([(await images()).length, (await files()).length]).toEqual([1, 1]);
  });

  it("keeps a picture when the response of its finalize was lost", async () => {
    breakLine("uploads:finalize", "answer", 2);
    const sending = crypto.randomUUID();
    expect(await storeFig(sending)).toMatchObject({ ok: false, again: true });
    expect([(await images()).length, (await files()).length]).toEqual([1, 1]);
    expect((await storeFig(sending)).ok).toBe(true);
    expect([(await images()).length, (await files()).length]).toEqual([1, 1]);
  });

  it.each(["uploads:generateUploadUrl", "storage", "uploads:finalize"])(
    "leaves neither row nor bytes when %s cannot be reached",
    async (call) => {
      breakLine(call, "question", 2);
      expect(await storeFig()).toMatchObject({ ok: false, again: true, problem: expect.stringContaining("not responding") });
      expect([await images(), await files()]).toEqual([[], []]);
    },
  );

  it("adds a PDF of one page as a version, and refuses one of two pages", { tags: "@pdf-as-version" }, async () => {
    const kept = await storeFig();
    const versionOf = kept.ok ? kept.imageId : "";
    async function add(buffer: Buffer) {
      const path = join(folder, crypto.randomUUID());
      await writeFile(path, buffer);
      const upload = { config, userId: "ada", sessionId: ada.sessionId, designId, sending: crypto.randomUUID(), versionOf };
      return storeImage({ index: 0, name: "brief.pdf", path, tooLarge: false, digest: null }, upload);
    }
    expect(await add(twoPages().buffer)).toMatchObject({ ok: false, problem: expect.stringContaining("This PDF has 2 pages") });
    expect(await images()).toMatchObject([{ contentType: "image/jpeg" }]);
    const page = makePdf([{ width: 72, height: 144, content: "1 0 0 rg 0 0 72 144 re f" }]);
    expect(await add(page)).toMatchObject({ ok: true, imageId: versionOf });
    expect(await images()).toMatchObject([{ _id: versionOf, contentType: "application/pdf", width: 200, height: 400 }]);
    expect(await ada.query(api.versions.getVersions, { imageId: versionOf })).toHaveLength(2);
  });

  it("leaves a file to the sweep when it cannot be discarded", async () => {
    breakLine("uploads:finalize", "question", 2);
    lost.set("uploads:discard", { what: "question", times: 1 });
    expect(await storeFig()).toMatchObject({ ok: false, again: true });
    expect([(await images()).length, (await files()).length]).toEqual([0, 1]);
  });

  it("reports the problem of a file and stores nothing", async () => {
    breakLine("nothing", "answer", 0);
    const path = join(folder, "bad");
    await writeFile(path, badFiles.renamedText().buffer);
    const upload = { config, userId: "ada", sessionId: ada.sessionId, designId, sending: "form" };
    expect(await storeImage({ index: 0, name: "notes.png", path, tooLarge: false, digest: null }, upload)).toMatchObject({
      ok: false,
      again: false,
    });
    expect(await storeImage({ index: 1, name: "notes.png", path, tooLarge: true, digest: null }, upload)).toMatchObject({
      problem: "Too large (maximum 50 MB)",
    });
    expect(calls).toEqual([]);
  });

  it("reports a duplicate picture, and adds it on request", async () => {
    breakLine("nothing", "answer", 0);
    const first = await storeFig();
    if (!first.ok) throw new Error(first.problem);
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    const file = { index: 0, name: "again.jpg", path, tooLarge: false, digest: null };
    const upload = { config, userId: "ada", sessionId: ada.sessionId, designId, sending: "another" };
    const refused = await storeImage(file, { ...upload, onlyNew: true });
    expect(refused).toMatchObject({ ok: false, again: false, duplicateOf: { imageId: first.imageId, name: "fig.jpg" } });
    expect(calls.filter(({ name }) => name === "storage")).toHaveLength(1);
    expect((await storeImage(file, upload)).ok).toBe(true);
  });

  it("finds a duplicate without its checksum before it is decoded", async () => {
    breakLine("nothing", "answer", 0);
    const first = await storeFig();
    const path = join(folder, crypto.randomUUID());
    await writeFile(path, "undecodable");
    const digest = createHash("sha256")
      .update(await readFile(picturePath("fig")))
      .digest("hex");
    const upload = { config, userId: "ada", sessionId: ada.sessionId, designId, sending: "without checksum", onlyNew: true };
    const file = { index: 0, name: "again.jpg", path, tooLarge: false, digest };
    expect(first).toMatchObject({ ok: true });
    expect(await storeImage(file, upload)).toMatchObject({ ok: false, duplicateOf: { name: "fig.jpg" } });
  });

  it("reports the free space, minus reservations for other files", async () => {
    breakLine("nothing", "answer", 0);
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    const file = { index: 0, name: "fig.jpg", path, tooLarge: false, digest: null };
    const small = { config: { ...config, storageQuotaBytes: 300_000 }, userId: "ada", sessionId: ada.sessionId, designId, sending: "form" };
    expect(await storeImage(file, { ...small, reserved: 200_000 })).toMatchObject({
      ok: false,
      again: true,
      problem: expect.stringMatching(
        /^Not enough storage: the file needs 203\.9 kB, but .* of 300 kB is free\. Delete images and empty the trash/,
      ),
    });
    expect(calls.filter(({ name }) => name === "storage")).toEqual([]);
    expect((await storeImage(file, small)).ok).toBe(true);
  });

  it("rejects a file whose checksum differs from the sent one", async () => {
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    const upload = { config, userId: "ada", sessionId: ada.sessionId, designId, sending: "form", checksum: "0".repeat(64) };
    expect(await storeImage({ index: 0, name: "fig.jpg", path, tooLarge: false, digest: null }, upload)).toMatchObject({
      ok: false,
      again: true,
      damaged: true,
    });
    expect(await images()).toEqual([]);
  });

  it("stores only the file that it inspected", async () => {
    breakLine("nothing", "answer", 0);
    const line = globalThis.fetch;
    vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) =>
      line(input, nameOf(input, init) === "storage" ? { ...init, body: "other bytes" } : init),
    );
    expect(await storeFig()).toMatchObject({ ok: false, again: true });
    expect([await images(), calls.filter(({ storageId }) => storageId !== undefined)]).toEqual([[], []]);
  });

  describe("several files", () => {
    const pictures = [picture(1), picture(2), picture(3)];
    const batch = () => ({ config, userId: "ada", sessionId: ada.sessionId, designId, reserved: 0 });
    const filesNamed = async (names: string[]) =>
      Promise.all(
        names.map(async (name, index) => {
          const path = join(folder, crypto.randomUUID());
          await writeFile(path, (await pictures[index]) ?? "");
          return { index, name, path, tooLarge: false, digest: null, sending: `${designId}:${name}`, onlyNew: true };
        }),
      );
    const names = async () => (await images()).map(({ name }) => name);

    it("become images with two mutations, also when they are sent twice", async () => {
      breakLine("nothing", "answer", 0);
      const first = await storeImages(await filesNamed(["a", "b", "c"]), batch());
      expect(first.map(({ ok, name }) => [ok, name])).toEqual(["a", "b", "c"].map((name) => [true, name]));
      const called = calls.map(({ name }) => name).toSorted();
      expect(called).toEqual(["storage", "storage", "storage", "uploads:finalizeMany", "uploads:generateUploadUrls"]);
      expect(await storeImages(await filesNamed(["a", "b", "c"]), batch())).toEqual(first);
      expect([await names(), (await files()).length]).toEqual([["a", "b", "c"], 3]);
    });

    it("report the maximum of a batch when a file is too large", { tags: "@batch-maximum" }, async () => {
      const [file] = await filesNamed(["large"]);
      if (!file) throw new Error("one file");
      expect(await storeImages([{ ...file, tooLarge: true }], { ...batch(), maxFileBytes: 32_000 })).toMatchObject([
        { ok: false, problem: "Too large (maximum 32 kB)" },
      ]);
    });

    it("are stored one after the other when one is a duplicate or damaged", async () => {
      breakLine("nothing", "answer", 0);
      const [second] = (await filesNamed(["x", "b"])).slice(1);
      if (second) await storeImages([second], batch());
      const [one, two, three] = await filesNamed(["a", "again", "c"]);
      if (!one || !two || !three) throw new Error("three files");
      expect(await storeImages([one, { ...two, name: "again" }, three], batch())).toMatchObject([
        { ok: true },
        { ok: false, duplicateOf: { name: "b" } },
        { ok: true },
      ]);
      const [bad, good] = await filesNamed(["bad", "good"]);
      if (!bad || !good) throw new Error("two files");
      await writeFile(bad.path, badFiles.renamedText().buffer);
      expect(await storeImages([bad, { ...good, onlyNew: false }], batch())).toMatchObject([{ ok: false, again: false }, { ok: true }]);
      expect(await names()).toEqual(["b", "a", "c", "good"]);
    });

    it.each(["uploads:generateUploadUrls", "storage", "uploads:finalizeMany"])("leave nothing when %s cannot be reached", async (call) => {
      breakLine(call, "question", 2);
      const busy = { ok: false, again: true, soon: true };
      expect(await storeImages(await filesNamed(["a", "b"]), batch())).toMatchObject([busy, busy]);
      expect([await names(), await files()]).toEqual([[], []]);
      lost.clear();
      expect(await storeImages(await filesNamed(["a", "b"]), batch())).toMatchObject([{ ok: true }, { ok: true }]);
    });
  });

  it("throws for a deleted design and for an ended session", async () => {
    await ada.mutation(api.designs.remove, { id: designId });
    expect(refusalOf(await storeFig().catch((error: unknown) => error))?.code).toBe("not_found");
    await signOut(backend, ada);
    expect(refusalOf(await storeFig().catch((error: unknown) => error))?.code).toBe("unauthenticated");
  });
});

const picture = (shade: number): Promise<Buffer> =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: { r: shade, g: 0, b: 0 } } })
    .png()
    .toBuffer();

function nameOf(input: string | URL | Request, init?: RequestInit): string {
  const address = input instanceof Request ? input.url : input.toString();
  if (address.includes("/api/storage/upload")) return "storage";
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
  return typeof body === "object" && body !== null && "path" in body ? String(body.path) : "";
}
