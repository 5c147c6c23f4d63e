import { randomUUID } from "node:crypto";
import { ConvexClient } from "convex/browser";
import { ConvexError } from "convex/values";
import { makeFunctionReference } from "convex/server";
import { api } from "../../../convex/_generated/api.js";
import { expect, type Person, type RunningApp, test } from "../../harness/test.ts";
import { stored } from "../support/page-actions.ts";
import { addPictures, chosen, deploymentAs, imagesIn, makeDesign, send } from "../support/pictures.ts";

type Ids = { project: string; design: string; image: string };

async function itemsOf(app: RunningApp, person: Person): Promise<Ids> {
  const { designId } = await makeDesign(app, person, "Secret");
  const [image = ""] = await addPictures(app, person, designId, ["fig"]);
  const { projectId } = await (await deploymentAs(app, person)).query(api.designs.getDesignById, { id: designId });
  return { project: projectId, design: designId, image };
}

async function deleted(app: RunningApp, person: Person): Promise<Ids> {
  const ids = await itemsOf(app, person);
  const convex = await deploymentAs(app, person);
  const [project] = await convex.query(api.projects.getProjects, {});
  if (project) {
    await convex.mutation(api.projects.moveToTrash, { id: project._id });
    await convex.mutation(api.trash.purge, { id: project._id });
  }
  return ids;
}

const never: Ids = { project: "never-was", design: "never-was", image: "never-was" };

async function comparable(response: Response, ids: Ids) {
  const own = new Set(["date", "x-request-id", "set-cookie", "content-length", "server-timing"]);
  const nonce = /'nonce-([^']+)'/.exec(response.headers.get("Content-Security-Policy") ?? "")?.[1];
  const plain = (text: string) => {
    let out = nonce ? text.replaceAll(nonce, "NONCE") : text;
    for (const id of Object.values(ids)) out = out.replaceAll(id, "ID");
    return out
      .replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, "UUID")
      .replaceAll(/\beyJ[\w.-]+/g, "TOKEN")
      .replaceAll(/(?<![\w+/])[\w+/]{11}=(?=\\?")/g, "TIMESTAMP");
  };
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)).map(([name, value]) => [name, plain(value)]));
  return { status: response.status, headers, body: plain(await response.text()) };
}

async function alike(app: RunningApp, owner: Person, asker: Person, ask: (ids: Ids) => Promise<Response>): Promise<number> {
  const [foreign, gone] = await Promise.all([itemsOf(app, owner), deleted(app, asker)]);
  const answers = [];
  for (const ids of [foreign, gone, never]) answers.push(await comparable(await ask(ids), ids));
  expect(answers[0]).toEqual(answers[2]);
  expect(answers[1]).toEqual(answers[2]);
  expect(await stored(app, owner)).toEqual([{ name: "Magazine", designs: ["Secret"] }]);
  return answers[0]?.status ?? 0;
}

const pages: Record<string, (ids: Ids) => string> = {
  project: ({ project }) => `/projects/${project}`,
  design: ({ design }) => `/design/${design}`,
  image: ({ design, image }) => `/design/${design}/images/${image}`,
};

for (const [what, path] of Object.entries(pages)) {
  for (const end of ["", ".data"]) {
    test(`answers a foreign ${what}'s ${end === "" ? "page" : "data"} like a missing one`, async ({ app, person, stranger }) => {
      const headers = { Cookie: stranger.cookieHeader };
      const get = (ids: Ids) => fetch(app.url + path(ids) + end, { headers });
      expect(await alike(app, person, stranger, get)).toBe(404);
    });
  }
}

for (const query of ["", "?w=160", "?original=1", "?w=1"]) {
  test(`answers a foreign picture ${query} like a missing one`, async ({ app, person, stranger }) => {
    const headers = { Cookie: stranger.cookieHeader };
    const status = await alike(app, person, stranger, ({ image }) => fetch(`${app.url}/images/${image}${query}`, { headers }));
    expect(status).toBe(query === "?w=1" ? 400 : 404);
  });
}

test("answers uploads to foreign designs like uploads to missing ones", async ({ app, person, stranger }) => {
  const file = await chosen("bank");
  expect(await alike(app, person, stranger, ({ design }) => send(app, stranger, design, [file]))).toBe(404);
});

test("answers forms with files for foreign designs like forms for missing ones", async ({ app, person, stranger }) => {
  const file = await chosen("bank");
  const post = ({ design }: Ids) => {
    const form = new FormData();
    form.append("sending", randomUUID());
    form.append("files", new File([new Uint8Array(file.buffer)], file.name));
    return fetch(`${app.url}/design/${design}`, {
      method: "POST",
      body: form,
      headers: { Origin: app.url, Cookie: stranger.cookieHeader },
    });
  };
  expect(await alike(app, person, stranger, post)).toBe(404);
});

const forms: Record<string, (ids: Ids) => { path: string; fields: Record<string, string> }> = {
  renameProject: ({ project }) => ({ path: "/projects", fields: { id: project, name: "Mine" } }),
  removeProject: ({ project }) => ({ path: "/projects", fields: { id: project } }),
  createDesign: ({ project }) => ({ path: `/projects/${project}`, fields: { projectId: project, name: "Mine" } }),
  renameDesign: ({ project, design }) => ({ path: `/projects/${project}`, fields: { id: design, name: "Mine" } }),
  removeDesign: ({ project, design }) => ({ path: `/projects/${project}`, fields: { id: design, projectId: project } }),
  renameImage: ({ design, image }) => ({ path: `/design/${design}`, fields: { id: image, name: "Mine" } }),
  removeImage: ({ design, image }) => ({ path: `/design/${design}`, fields: { id: image } }),
};

for (const [intent, form] of Object.entries(forms)) {
  for (const end of ["", ".data"]) {
    test(`answers ${intent} for foreign and missing items alike${end && ", by script"}`, async ({ app, person, stranger }) => {
      const post = (ids: Ids) => {
        const { path, fields } = form(ids);
        const headers = { Origin: app.url, Cookie: stranger.cookieHeader };
        return fetch(app.url + path + end, {
          method: "POST",
          redirect: "manual",
          headers,
          body: new URLSearchParams({ intent, form: "f", ...fields }),
        });
      };
      expect(await alike(app, person, stranger, post)).toBe(422);
    });
  }
}

test(
  "functions on the public websocket treat foreign items like missing ones",
  { tag: "@functions-called-over-public-websocket-users" },
  async ({ app, person, stranger }) => {
    const [foreign, gone] = await Promise.all([itemsOf(app, person), deleted(app, stranger)]);
    const convex = await socketAs(app, stranger);
    const { projects, designs, designImages } = api;
    const paginationOpts = { cursor: null, numItems: 10 };
    const queries = ({ project, design, image }: Ids) =>
      [
        [projects.getProjectById, { id: project }],
        [designs.getDesignsByProjectId, { projectId: project }],
        [designs.listDesigns, { projectId: project, paginationOpts }],
        [designs.getDesignById, { id: design }],
        [designImages.getDesignImagesByDesignId, { designId: design }],
        [designImages.listDesignImages, { designId: design, paginationOpts }],
        [designImages.getDesignImageInPlace, { id: image }],
      ] as const;
    const mutations = ({ project, design, image }: Ids) =>
      [
        [projects.rename, { id: project, name: "Mine" }],
        [projects.remove, { id: project }],
        [designs.create, { projectId: project, name: "Mine" }],
        [designs.rename, { id: design, name: "Mine" }],
        [designs.remove, { id: design }],
        [designImages.rename, { id: image, name: "Mine" }],
        [designImages.remove, { id: image }],
      ] as const;
    try {
      for (const ids of [foreign, gone, never]) {
        for (const [query, args] of queries(ids))
          expect(await refusal(convex.query(query, args as never)), JSON.stringify(args)).toEqual({ code: "not_found" });
        for (const [mutation, args] of mutations(ids)) {
          expect(await refusal(convex.mutation(mutation, args as never)), JSON.stringify(args)).toEqual({ code: "not_found" });
        }
      }
    } finally {
      await convex.close();
    }
    expect(await stored(app, person)).toEqual([{ name: "Magazine", designs: ["Secret"] }]);
    expect(await imagesIn(app, person, foreign.design as never)).toHaveLength(1);
  },
);

test(
  "server-only functions are closed to the public websocket",
  { tag: "@server-only-functions-closed-public-websocket" },
  async ({ app, person, stranger }) => {
    const { design, image } = await itemsOf(app, person);
    const convex = await socketAs(app, stranger);
    const sessionId = await sessionOf(app, person);
    const byId = { field: "id", operator: "eq", value: person.id, connector: "AND", mode: "sensitive" };
    try {
      for (const [path, args] of [
        ["uploads:generateUploadUrl", { sessionId, designId: design }],
        ["accounts/mail:queue", { sealed: "x", expiresAt: 0 }],
        ["accounts/store:deleteMany", { model: "users", where: [byId] }],
        ["accounts/store:update", { model: "users", where: [byId], update: { name: "Mine" } }],
        ["accounts/pictures:remove", { sessionId }],
      ] as const) {
        expect(await refusal(convex.mutation(makeFunctionReference<"mutation">(path), args)), path).toEqual({ code: "unauthenticated" });
      }
      for (const [path, args] of [
        ["uploads:getFile", { sessionId, imageId: image }],
        ["accounts/store:findMany", { model: "users", where: [byId], limit: 1 }],
        ["accounts/store:findOne", { model: "sessions", where: [byId] }],
        ["accounts/belongings:account", { sessionId }],
      ] as const) {
        expect(await refusal(convex.query(makeFunctionReference<"query">(path), args)), path).toEqual({ code: "unauthenticated" });
      }
      for (const path of ["jobs/purge:project", "purge:project", "sweep:run", "notices:markRest"]) {
        await expect(convex.mutation(makeFunctionReference<"mutation">(path), {}), path).rejects.toThrow(
          /Server Error\s+Called by client$/,
        );
      }
    } finally {
      await convex.close();
    }
  },
);

async function sessionOf(app: RunningApp, person: Person): Promise<string> {
  const answer = await fetch(`${app.url}/api/auth/get-session`, { headers: { Cookie: person.cookieHeader } });
  const { session } = await answer.json();
  return String(session.id);
}

async function socketAs(app: RunningApp, person: Person): Promise<ConvexClient> {
  const answer = await fetch(`${app.url}/api/auth/convex/token`, { headers: { Cookie: person.cookieHeader } });
  const { token } = await answer.json();
  const client = new ConvexClient(app.deployment.forBrowsers, {
    skipConvexDeploymentUrlCheck: true,
    logger: false,
    unsavedChangesWarning: false,
  });
  client.setAuth(async () => String(token));
  return client;
}

async function refusal(call: Promise<unknown>): Promise<unknown> {
  try {
    return { answered: await call };
  } catch (error) {
    return error instanceof ConvexError ? error.data : String(error);
  }
}
