import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { appServer, type Backend, type Person, probe, signOut, signUp } from "../../tests/convex/backends";
import { readConfig } from "../../server/config";
import { startTestDeployment } from "../../tests/convex/deployment";
import { embeddedOn } from "../../tests/convex/embedded";
import { badFiles, picturePath, sidewaysPhotograph } from "../../tests/fixtures/pictures";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/data/refusals";
import { keep } from "./keep.server";
import { readDetailsLate } from "./late-details.server";

// Every call goes by the one way that a test here breaks.
vi.mock("~/http/plain-fetch.server", () => ({ plainFetch: (...[input, init]: Parameters<typeof fetch>) => fetch(input, init) }));

vi.mock("~/http/send-file.server", () => ({
  async sendFile(address: string, path: string, { headers }: { headers: Record<string, string> }) {
    const answer = await fetch(address, { method: "POST", headers, body: await readFile(path) });
    return { status: answer.status, text: await answer.text() };
  },
}));

/** On a real deployment, with faults in the line to it. */
describe("keep", () => {
  let backend: Backend;
  let config: AppConfig;
  let folder: string;
  let ada: Person;
  let designId: Id<"designs">;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "keep-"));
    const deployment = await startTestDeployment();
    backend = embeddedOn(deployment);
    const { app } = await readConfig({ DATA_DIR: folder }, { production: true });
    config = { ...app, convexUrl: deployment.url, signingKey: deployment.signingKey };
  });
  afterAll(async () => {
    await backend.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
    lost.clear();
    calls.length = 0;
  });
  afterEach(() => vi.unstubAllGlobals());

  /** Hands `fig.jpg` on as if it had just arrived. */
  async function keepFig(sending: string = crypto.randomUUID()) {
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    return keep(
      { index: 0, name: "fig.jpg", path, tooLarge: false, digest: null },
      { config, sessionId: ada.sessionId, designId, sending },
    );
  }
  const images = () => ada.query(api.designImages.getDesignImagesByDesignId, { designId });
  /** Those of the files that were stored in this test that are still there. */
  const files = () => backend.inside.query(probe.filesAmong, { ids: calls.flatMap(({ storageId }) => (storageId ? [storageId] : [])) });

  /** What was called over the line, and the ids that the storage gave. */
  const calls: { name: string; storageId?: Id<"_storage"> }[] = [];
  /** Calls whose question, or whose answer, gets lost: how many times. */
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

  it("reads what an earlier build did not note of a picture when somebody looks at it", async () => {
    const path = join(folder, crypto.randomUUID());
    await writeFile(path, (await sidewaysPhotograph()).buffer);
    const kept = await keep(
      { index: 0, name: "IMG_2041.jpg", path, tooLarge: false, digest: null },
      { config, sessionId: ada.sessionId, designId, sending: "photograph" },
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
    readDetailsLate(of, await earlier(), config);
    await expect.poll(async () => (await inPlace()).details).toEqual(details);

    // What shows another file by then is left alone.
    await earlier();
    const server = await appServer(backend);
    await server.mutation(api.uploads.noteDetails, { ...of, checksum: "0".repeat(64), details: { hasPlace: false } });
    expect((await inPlace()).details).toBeUndefined();
  });

  it("makes a picture of a file, once for each sending of its form", async () => {
    breakLine("nothing", "answer", 0);
    const first = await keepFig("form 1");
    const again = await keepFig("form 1");
    const other = await keepFig("form 2");
    expect([first.ok, again, other.ok]).toEqual([true, first, true]);
    expect((await images()).map(({ name, width, height }) => [name, width, height])).toEqual([
      ["fig.jpg", 1600, 1082],
      ["fig.jpg", 1600, 1082],
    ]);
    // What was stored for the form's second coming is dropped.
    expect([calls.filter(({ name }) => name === "storage").length, (await files()).length]).toEqual([3, 2]);
  });

  it("finds out what became of an unanswered finalize, and makes one picture", async () => {
    breakLine("uploads:finalize", "answer", 1);
    expect((await keepFig()).ok).toBe(true);
    expect([(await images()).length, (await files()).length]).toEqual([1, 1]);
  });

  it("keeps a picture whose finalize ran, though nobody ever learnt of it", async () => {
    breakLine("uploads:finalize", "answer", 2);
    const sending = crypto.randomUUID();
    expect(await keepFig(sending)).toMatchObject({ ok: false, again: true });
    expect([(await images()).length, (await files()).length]).toEqual([1, 1]);
    // Sent again, it is the same picture.
    expect((await keepFig(sending)).ok).toBe(true);
    expect([(await images()).length, (await files()).length]).toEqual([1, 1]);
  });

  it.each(["uploads:generateUploadUrl", "storage", "uploads:finalize"])(
    "leaves neither row nor bytes when %s cannot be reached",
    async (call) => {
      breakLine(call, "question", 2);
      expect(await keepFig()).toMatchObject({ ok: false, again: true, problem: expect.stringContaining("does not answer") });
      expect([await images(), await files()]).toEqual([[], []]);
    },
  );

  it("leaves to the sweep what it cannot drop either", async () => {
    breakLine("uploads:finalize", "question", 2);
    lost.set("uploads:discard", { what: "question", times: 1 });
    expect(await keepFig()).toMatchObject({ ok: false, again: true });
    expect([(await images()).length, (await files()).length]).toEqual([0, 1]);
  });

  it("says what is wrong with a file, and stores nothing of it", async () => {
    breakLine("nothing", "answer", 0);
    const path = join(folder, "bad");
    await writeFile(path, badFiles.renamedText().buffer);
    const upload = { config, sessionId: ada.sessionId, designId, sending: "form" };
    expect(await keep({ index: 0, name: "notes.png", path, tooLarge: false, digest: null }, upload)).toMatchObject({
      ok: false,
      again: false,
    });
    expect(await keep({ index: 1, name: "notes.png", path, tooLarge: true, digest: null }, upload)).toMatchObject({
      problem: "The file is too large: it may have 50 MiB at most.",
    });
    expect(calls).toEqual([]);
  });

  it("says which picture it is that the design has already, and adds it all the same when it is told to", async () => {
    breakLine("nothing", "answer", 0);
    const first = await keepFig();
    if (!first.ok) throw new Error(first.problem);
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    const file = { index: 0, name: "again.jpg", path, tooLarge: false, digest: null };
    const upload = { config, sessionId: ada.sessionId, designId, sending: "another" };
    const refused = await keep(file, { ...upload, onlyNew: true });
    expect(refused).toMatchObject({ ok: false, again: false, duplicateOf: { imageId: first.imageId, name: "fig.jpg" } });
    // Not one byte was stored for it.
    expect(calls.filter(({ name }) => name === "storage")).toHaveLength(1);
    expect((await keep(file, upload)).ok).toBe(true);
  });

  it("says how much room is left, and counts what others of the person's files will need", async () => {
    breakLine("nothing", "answer", 0);
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    const file = { index: 0, name: "fig.jpg", path, tooLarge: false, digest: null };
    const small = { config: { ...config, storageQuotaBytes: 300_000 }, sessionId: ada.sessionId, designId, sending: "form" };
    expect(await keep(file, { ...small, reserved: 200_000 })).toMatchObject({
      ok: false,
      again: true,
      problem: expect.stringMatching(/^The file has 199\.1 KiB, and only .* of your 293 KiB are left\. Delete images and empty the trash/),
    });
    expect(calls.filter(({ name }) => name === "storage")).toEqual([]);
    expect((await keep(file, small)).ok).toBe(true);
  });

  it("takes no file that is not what was sent", async () => {
    const path = join(folder, crypto.randomUUID());
    await copyFile(picturePath("fig"), path);
    const upload = { config, sessionId: ada.sessionId, designId, sending: "form", checksum: "0".repeat(64) };
    expect(await keep({ index: 0, name: "fig.jpg", path, tooLarge: false, digest: null }, upload)).toMatchObject({
      ok: false,
      again: true,
      damaged: true,
    });
    expect(await images()).toEqual([]);
  });

  it("stores nothing but what it has looked at", async () => {
    breakLine("nothing", "answer", 0);
    const line = globalThis.fetch;
    vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) =>
      line(input, nameOf(input, init) === "storage" ? { ...init, body: "other bytes" } : init),
    );
    expect(await keepFig()).toMatchObject({ ok: false, again: true });
    expect([await images(), calls.filter(({ storageId }) => storageId !== undefined)]).toEqual([[], []]);
  });

  it("throws for a design that is gone, and for a session that has ended", async () => {
    await ada.mutation(api.designs.remove, { id: designId });
    expect(refusalOf(await keepFig().catch((error: unknown) => error))?.code).toBe("not_found");
    await signOut(backend, ada);
    expect(refusalOf(await keepFig().catch((error: unknown) => error))?.code).toBe("unauthenticated");
  });
});

/** The function that a call is for, or "storage". */
function nameOf(input: string | URL | Request, init?: RequestInit): string {
  const address = input instanceof Request ? input.url : input.toString();
  if (address.includes("/api/storage/upload")) return "storage";
  const body: unknown = typeof init?.body === "string" ? JSON.parse(init.body) : null;
  return typeof body === "object" && body !== null && "path" in body ? String(body.path) : "";
}
