/** Runs concurrent writers of one project with write conflicts. Set `CONFLICT_UPLOADS=10000` for the long run. */
import { randomUUID } from "node:crypto";
import { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { afterAll, expect, it } from "vitest";
import { api } from "../../convex/_generated/api";
import { signServiceToken } from "../../app/features/accounts/session/convex/tokens.server";
import { deploymentFetch } from "../../app/lib/http/unavailable.server";
import { ensureBuilt } from "../../server/build/ensure.ts";
import { startApp } from "../harness/app.ts";
import { startPrepared } from "../harness/balanced.ts";
import { signUp } from "../harness/people.ts";

const UPLOADS = Number(process.env["CONFLICT_UPLOADS"] ?? 240);
const WRITERS = 12;
const MOVED = 6;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

it(`loses none of ${UPLOADS} uploads in parallel with moves and renames`, { timeout: 240_000 + UPLOADS * 400 }, async () => {
  await ensureBuilt();
  const deployment = await startPrepared(["--hosted", "--latency", "none", "--clock-skew", "none"]);
  ends.push(() => deployment.close());
  const app = await startApp(deployment.settings);
  ends.push(() => app.dispose());
  const ada = await signUp(app.url);
  const answer = await fetch(`${app.url}/api/auth/convex/token`, { headers: { Cookie: ada.cookieHeader } });
  const { token } = await answer.json();
  const sessionId: string = JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString()).sessionId;
  const person = clientWith(deployment.url, String(token));
  const server = clientWith(deployment.url, await signServiceToken(JSON.parse(deployment.settings["TOKEN_SIGNING_KEY"] ?? "")));

  const projectId = await person.mutation(api.projects.create, { name: "Magazine" });
  const designId = await person.mutation(api.designs.create, { projectId, name: "Cover" });
  const other = await person.mutation(api.designs.create, { projectId, name: "Back" });
  const failures: string[] = [];
  async function attempt<M extends FunctionReference<"mutation">>(client: ConvexHttpClient, mutation: M, args: FunctionArgs<M>) {
    return client.mutation<FunctionReference<"mutation">>(mutation, args, { skipQueue: true }).catch((error: unknown) => {
      failures.push(String(error));
      return null;
    }) as Promise<FunctionReturnType<M> | null>;
  }

  const ids: string[] = [];
  let next = 0;
  async function upload(): Promise<void> {
    while (next < UPLOADS) {
      const number = next++;
      const url = await server.mutation(api.uploads.generateUploadUrl, { sessionId, designId }, { skipQueue: true });
      const stored = await fetch(url, { method: "POST", body: String(number).padStart(8, "0"), headers: { "Content-Type": "image/png" } });
      const { storageId } = await stored.json();
      const checksum = `${randomUUID()}${randomUUID()}`.replaceAll("-", "");
      const properties = { contentType: "image/png", size: 8, width: 1, height: 1, checksum, placeholder: null, animated: false };
      const file = { sessionId, designId, uploadId: randomUUID(), storageId, name: `${number}.png`, ...properties };
      const id = await attempt(server, api.uploads.finalize, file);
      if (id !== null) ids.push(id);
    }
  }
  const uploaded = new AbortController();
  async function change(): Promise<void> {
    for (let round = 0; !uploaded.signal.aborted; round++) {
      await attempt(person, api.projects.rename, { id: projectId, name: `Magazine ${round}` });
      const moved = ids.slice(-MOVED);
      if (moved.length > 0) await attempt(person, api.designImages.move, { ids: moved, designId: round % 2 === 0 ? other : designId });
    }
  }
  const changes = change();
  await Promise.all(Array.from({ length: WRITERS }, upload));
  uploaded.abort();
  await changes;

  expect(failures).toEqual([]);
  const designs = await person.query(api.designs.getDesignsByProjectId, { projectId });
  expect(designs.reduce((sum, { imageCount }) => sum + imageCount, 0)).toBe(UPLOADS);
  expect((await person.query(api.projects.getProjectById, { id: projectId })).imageCount).toBe(UPLOADS);
});

function clientWith(url: string, token: string): ConvexHttpClient {
  const authorized: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return deploymentFetch(input, { ...init, headers });
  };
  return new ConvexHttpClient(url, { skipConvexDeploymentUrlCheck: true, logger: false, fetch: authorized });
}
