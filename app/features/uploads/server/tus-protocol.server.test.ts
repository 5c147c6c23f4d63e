import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startAppBackend } from "../../../../tests/convex/app-backend";
import { type Person, probe, signUp } from "../../../../tests/convex/backends";
import { api } from "#convex/_generated/api";
import { configContext } from "~/lib/http/context";
import { answerUpload } from "./tus-protocol.server";

let visitor: Person;
vi.mock("~/features/accounts/session/session.server", () => ({ getVisitor: async () => visitor }));

let app: Awaited<ReturnType<typeof startAppBackend>>;
beforeAll(async () => {
  app = await startAppBackend();
});
afterAll(() => app.close());

const QUOTA = 100;

async function announce(person: Person, design: string, length: number): Promise<{ status: number; problem?: unknown }> {
  visitor = person;
  const context = new RouterContextProvider();
  context.set(configContext, { ...app.config, storageQuotaBytes: QUOTA });
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const headers = {
    "Tus-Resumable": "1.0.0",
    "Upload-Length": String(length),
    "Upload-Metadata": `design ${base64(design)},filename ${base64("fig.png")}`,
  };
  const response = await answerUpload(new Request("http://localhost/uploads", { method: "POST", headers }), context);
  const body: unknown = response.status === 201 ? {} : await response.json();
  return { status: response.status, ...(typeof body === "object" && body !== null && "problem" in body && { problem: body.problem }) };
}

it("reserves the storage of the project's owner, not of the editor who uploads", async () => {
  const [ada, eve] = [await signUp(app.backend, "ada"), await signUp(app.backend, "eve")];
  const designOf = async (person: Person) => {
    const projectId = await person.mutation(api.projects.create, { name: "Project" });
    return { projectId, designId: await person.mutation(api.designs.create, { projectId, name: "Design" }) };
  };
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
