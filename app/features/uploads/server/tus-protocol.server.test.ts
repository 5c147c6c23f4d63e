import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { type Person, probe, signOut, signUp } from "../../../../tests/convex/backends";
import { api } from "#convex/_generated/api";
import type { AppConfig } from "~/config";
import { clearSessionCache } from "~/features/accounts/session/session-check.server";
import { configContext } from "~/lib/http/context";
import { answerUpload } from "./tus-protocol.server";

let visitor: Person;
vi.mock("~/features/accounts/session/session.server", () => ({ getVisitor: async () => visitor }));

let app: Awaited<ReturnType<typeof startAppBackend>>;
let config: AppConfig;
beforeAll(async () => {
  app = await startAppBackend();
  config = { ...app.config, storageQuotaBytes: QUOTA };
});
afterAll(() => app.close());

const QUOTA = 100;

type Sent = { method: string; headers?: Record<string, string>; body?: string };

function send(person: Person, target: Parameters<typeof answerUpload>[2], request: Sent): Promise<Response> {
  visitor = person;
  const context = new RouterContextProvider();
  context.set(configContext, config);
  const headers = { "Tus-Resumable": "1.0.0", ...request.headers };
  return answerUpload(new Request("http://localhost/uploads", { ...request, headers }), context, target);
}

function create(person: Person, design: string, length: number): Promise<Response> {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const metadata = `design ${base64(design)},filename ${base64("fig.png")}`;
  return send(person, {}, { method: "POST", headers: { "Upload-Length": String(length), "Upload-Metadata": metadata } });
}

async function announce(person: Person, design: string, length: number): Promise<{ status: number; problem?: unknown }> {
  const response = await create(person, design, length);
  const body: unknown = response.status === 201 ? {} : await response.json();
  return { status: response.status, ...(typeof body === "object" && body !== null && "problem" in body && { problem: body.problem }) };
}

async function designOf(person: Person) {
  const projectId = await person.mutation(api.projects.create, { name: "Project" });
  return { projectId, designId: await person.mutation(api.designs.create, { projectId, name: "Design" }) };
}

it("reserves the storage of the project's owner, not of the editor who uploads", async () => {
  const [ada, eve] = [await signUp(app.backend, "ada"), await signUp(app.backend, "eve")];
  const [shared, own] = [await designOf(ada), await designOf(eve)];
  const member = { projectId: shared.projectId, userId: eve.userId, role: "editor", addedAt: 1, addedBy: ada.userId };
  await app.backend.inside.mutation(probe.insert, { table: "projectMembers", row: member });

  expect(await announce(ada, shared.designId, 60)).toEqual({ status: 201 });
  const problem = "The project's owner has too little storage left. Nothing was added.";
  expect(await announce(eve, shared.designId, 60)).toEqual({ status: 413, problem });
  expect(await announce(eve, own.designId, 80)).toEqual({ status: 201 });
  expect(await announce(eve, shared.designId, 30)).toEqual({ status: 201 });
  expect(await announce(ada, shared.designId, 20)).toMatchObject({
    status: 413,
    problem: expect.stringContaining("10 bytes of 100 bytes is free"),
  });
});

it("creates no image from an upload of a session that was ended elsewhere", async () => {
  const zoe = await signUp(app.backend, "zoe");
  const created = await create(zoe, (await designOf(zoe)).designId, 4);
  const id = created.headers.get("Location")?.split("/").at(-1) ?? "";
  const patch = (offset: number) => {
    const headers = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    return send(zoe, { id }, { method: "PATCH", headers, body: "ab" });
  };
  expect((await patch(0)).status).toBe(204);
  await signOut(app.backend, zoe);
  expect((await patch(2)).status).toBe(204);
  expect((await send(zoe, { id, finish: true }, { method: "POST" })).status).toBe(401);
  clearSessionCache();
  expect((await patch(4)).status).toBe(401);
});

it("does not finish an incomplete upload of a session that was ended elsewhere", async () => {
  const amy = await signUp(app.backend, "amy");
  const created = await create(amy, (await designOf(amy)).designId, 4);
  const id = created.headers.get("Location")?.split("/").at(-1) ?? "";
  const finish = () => send(amy, { id, finish: true }, { method: "POST" });
  expect((await finish()).status).toBe(409);
  await signOut(app.backend, amy);
  expect((await finish()).status).toBe(401);
});
