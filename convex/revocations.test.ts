import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FunctionReturnType } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertLink, insertToken, insertTransfer } from "../tests/convex/access-arguments.ts";
import { setUser } from "../tests/convex/access-fixtures.ts";
import { appServer, type Backend, backends, type Caller, probe, signUp } from "../tests/convex/backends.ts";
import { addCommentImage, addImage, addVersion } from "../tests/convex/pictures.ts";
import { addMember, shareProject } from "../tests/convex/shared-project.ts";
import { api, internal } from "./_generated/api";
import { refusalOf } from "./model/errors";
import { ACCESS_TABLES, ROWS_MAX } from "./model/revocations/recordRevocations";
import { IMAGE_GRANT_MAX_MS, REVOCATION_RETENTION_MS } from "./model/rules";

type ImageFile = FunctionReturnType<typeof api.uploads.getFile>;
type Shared = Awaited<ReturnType<typeof shareProject>> & { backend: Backend; server: Caller };
type Scenario = { file: () => Promise<ImageFile>; change: () => Promise<unknown> };

const forMember = ({ server, eve, image }: Shared, change: Scenario["change"]): Scenario => ({
  file: () => server.query(api.uploads.getFile, { sessionId: eve.sessionId, imageId: image }),
  change,
});

const where = (field: string, value: string) => [
  { field, operator: "eq" as const, value, connector: "AND" as const, mode: "sensitive" as const },
];

async function administrator(backend: Backend) {
  const person = await signUp(backend, "admin");
  await setUser(backend, person, { isAdministrator: true });
  return person.sessionId;
}

const SCENARIOS: Record<string, (shared: Shared) => Promise<Scenario> | Scenario> = {
  "a removed member": (shared) =>
    forMember(shared, () => shared.ada.mutation(api.members.remove, { projectId: shared.project, userId: shared.eve.userId })),
  "a member who left": (shared) => forMember(shared, () => shared.eve.mutation(api.members.leave, { projectId: shared.project })),
  "a trashed image": (shared) => forMember(shared, () => shared.ada.mutation(api.designImages.moveToTrash, { id: shared.image })),
  "a trashed image that can be undone": (shared) =>
    forMember(shared, () => shared.ada.mutation(api.many.trashImages, { ids: [shared.image], step: "a step" })),
  "a trashed design": (shared) => forMember(shared, () => shared.ada.mutation(api.designs.moveToTrash, { id: shared.design })),
  "a trashed project": (shared) => forMember(shared, () => shared.ada.mutation(api.projects.moveToTrash, { id: shared.project })),
  "an image in another project": (shared) =>
    forMember(shared, async () => {
      const projectId = await shared.ada.mutation(api.projects.create, { name: "Private" });
      const designId = await shared.ada.mutation(api.designs.create, { projectId, name: "Private" });
      await shared.ada.mutation(api.designImages.move, { ids: [shared.image], designId });
    }),
  "a design in another project": (shared) =>
    forMember(shared, async () => {
      const projectId = await shared.ada.mutation(api.projects.create, { name: "Private" });
      await shared.ada.mutation(api.designs.move, { id: shared.design, projectId });
    }),
  "a session that was signed out": (shared) =>
    forMember(shared, () =>
      shared.server.mutation(api.accounts.store.deleteMany, { model: "sessions", where: where("id", shared.eve.sessionId) }),
    ),
  "a deleted session of a transaction": (shared) =>
    forMember(shared, () =>
      shared.server.mutation(api.accounts.store.commit, {
        writes: [{ kind: "delete", model: "sessions", id: shared.eve.sessionId }],
      }),
    ),
  "a disabled account": (shared) =>
    forMember(shared, async () => {
      const sessionId = await administrator(shared.backend);
      await shared.server.mutation(api.admin.people.disable, { sessionId, userId: shared.eve.userId });
    }),
  "a deleted account": (shared) =>
    forMember(shared, async () => {
      const sessionId = await administrator(shared.backend);
      await shared.server.mutation(api.admin.people.remove, { sessionId, userId: shared.eve.userId });
    }),
  "the former owner of a transferred project": async (shared) => ({
    file: () => shared.server.query(api.uploads.getFile, { sessionId: shared.ada.sessionId, imageId: shared.image }),
    async change() {
      const transferId = await insertTransfer(shared.backend, shared.project, shared.ada.userId, shared.eve.userId);
      await shared.eve.mutation(api.transfers.accept, { transferId });
      await shared.backend.settle();
      const members = await shared.eve.query(api.members.list, {
        projectId: shared.project,
        paginationOpts: { cursor: null, numItems: 10 },
      });
      if (members.page.some(({ userId }) => userId === shared.ada.userId))
        await shared.eve.mutation(api.members.remove, { projectId: shared.project, userId: shared.ada.userId });
    },
  }),
  "a rotated image": (shared) =>
    forMember(shared, () => shared.ada.mutation(api.designImages.rotate, { id: shared.image, direction: "right" })),
  "a renamed image": (shared) =>
    forMember(shared, () => shared.ada.mutation(api.designImages.rename, { id: shared.image, name: "Another name" })),
  "an image with a new version": (shared) => forMember(shared, () => addVersion(shared.backend, shared.ada, shared.image, "again")),
  "more trashed images than are listed": (shared) =>
    forMember(shared, async () => {
      const ids: string[] = [];
      for (let number = 0; number < ROWS_MAX; number++)
        ids.push((await addImage(shared.backend, shared.ada, shared.design, `image ${number}`)).id);
      await shared.ada.mutation(api.many.trashImages, { ids: [...ids, shared.image] });
    }),
  "an earlier version of a trashed image": async (shared) => {
    await addVersion(shared.backend, shared.ada, shared.image, "again");
    const [earlier] = (await shared.ada.query(api.versions.getVersions, { imageId: shared.image })).toReversed();
    const versionId = earlier?._id ?? "";
    return {
      file: () => shared.server.query(api.uploads.getFile, { sessionId: shared.eve.sessionId, imageId: shared.image, versionId }),
      change: () => shared.ada.mutation(api.designImages.moveToTrash, { id: shared.image }),
    };
  },
  "the image of a deleted comment": async ({ backend, server, ada, eve, image }) => {
    const { id: imageId } = await addCommentImage(backend, ada, image, "comment");
    const threadId = await ada.mutation(api.comments.startThread, { itemId: image, text: "text", imageIds: [imageId], key: "thread" });
    const { page } = await ada.query(api.comments.listReplies, { threadId, paginationOpts: { cursor: null, numItems: 1 } });
    const commentId =
      page[0]?._id ?? (await backend.inside.query(probe.rows, { table: "comments", field: "threadId", value: threadId }))[0]?._id;
    return {
      file: () => server.query(api.uploads.getFile, { sessionId: eve.sessionId, imageId }),
      change: () => ada.mutation(api.comments.remove, { commentId: String(commentId) }),
    };
  },
  "a revoked link": async ({ backend, server, ada, project, image }) => {
    const linkId = await insertLink(backend, project);
    return {
      file: () => server.query(api.links.getFile, { linkId: linkId, lock: 0, imageId: image }),
      change: () => ada.mutation(api.links.revoke, { projectId: project, linkId: linkId }),
    };
  },
  "a link with another password": async ({ backend, server, ada, project, image }) => {
    const linkId = await insertLink(backend, project);
    const settings = { name: "a link", downloads: false, expiresAt: null, passwordHash: "another" };
    return {
      file: () => server.query(api.links.getFile, { linkId, lock: 0, imageId: image }),
      change: () => server.mutation(api.links.change, { sessionId: ada.sessionId, projectId: project, linkId, ...settings }),
    };
  },
  "a revoked access token": async ({ backend, server, ada, image }) => {
    const { id, tokenHash } = await insertToken(backend, ada);
    return {
      file: () => server.query(api.httpApi.getFile, { tokenHash, imageId: image }),
      change: () => ada.mutation(api.accounts.accessTokens.revoke, { id: id }),
    };
  },
};

describe.each(backends)("revocations on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const since = (after: number | null) => server.query(api.revocations.since, { after, connection: 0 });
  const newest = async () => (await since(null)).revocations[0]?.at ?? 0;

  it.each(Object.keys(SCENARIOS))("lists a row that gave access to %s", { tags: "@revocations" }, async (name) => {
    const shared = { ...(await shareProject(backend, "editor")), backend, server };
    const scenario = await SCENARIOS[name]?.(shared);
    if (!scenario) throw new Error(`There is no scenario ${name}.`);
    const before = await scenario.file();
    const after = await newest();
    await scenario.change();
    await backend.settle();
    const current = await scenario.file().catch((error: unknown) => refusalOf(error)?.code);
    expect(current).not.toEqual(before);
    const { revocations } = await since(after);
    expect(revocations.some(({ rows }) => rows.length === 0 || rows.some((row) => before.rows.includes(row)))).toBe(true);
  });

  it("returns the rows of each image of a page, also of a cached membership", async () => {
    const { ada, eve, design, image, member } = await shareProject(backend, "viewer");
    const { id: other } = await addImage(backend, ada, design, "other");
    const files = await server.query(api.uploads.getFiles, {
      sessionId: eve.sessionId,
      images: [{ imageId: image }, { imageId: other }],
    });
    expect(files.map((file) => file?.rows.includes(member))).toEqual([true, true]);
    expect(files.map((file) => [file?.rows.includes(image), file?.rows.includes(other)])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it("records changes of every table that the queries of files read", async () => {
    const { ada, eve, project, image } = await shareProject(backend, "viewer");
    await addVersion(backend, ada, image, "again");
    const versions = await ada.query(api.versions.getVersions, { imageId: image });
    const { id: inComment } = await addCommentImage(backend, ada, image, "comment");
    const linkId = await insertLink(backend, project);
    const { tokenHash } = await insertToken(backend, ada);
    const { sessionId } = eve;
    const files = await Promise.all([
      ...versions.map(({ _id: versionId }) => server.query(api.uploads.getFile, { sessionId, imageId: image, versionId })),
      server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId: inComment }),
      server.query(api.links.getFile, { linkId, lock: 0, imageId: image }),
      server.query(api.httpApi.getFile, { tokenHash, imageId: image }),
    ]);
    const tableOf = async (id: string) => {
      for (const table of ACCESS_TABLES) if (await backend.inside.query(probe.row, { table, id })) return table;
      return `another table (${id})`;
    };
    const rows = [...new Set(files.flatMap((file) => file.rows))];
    const tables = new Set(await Promise.all(rows.map(tableOf)));
    expect([...tables].toSorted()).toEqual(ACCESS_TABLES.toSorted());
  });

  it("returns when the session or the link ends", async () => {
    const expiresAt = Date.now() + 1_000_000;
    const ada = await signUp(backend, "ada", expiresAt);
    const projectId = await ada.mutation(api.projects.create, { name: "a project" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "a design" });
    const { id: imageId } = await addImage(backend, ada, designId, "an image");
    expect(await server.query(api.uploads.getFile, { sessionId: ada.sessionId, imageId })).toMatchObject({ accessEndsAt: expiresAt });
    const linkId = await insertLink(backend, projectId, { expiresAt: expiresAt + 1 });
    expect(await server.query(api.links.getFile, { linkId, lock: 0, imageId })).toMatchObject({ accessEndsAt: expiresAt + 1 });
    const endless = await insertLink(backend, projectId);
    expect(await server.query(api.links.getFile, { linkId: endless, lock: 0, imageId })).not.toHaveProperty("accessEndsAt");
  });

  it("records nothing for uploads, comments, tags and the order of images", async () => {
    const { ada, eve, project, design, image } = await shareProject(backend, "editor");
    const after = await newest();
    const { id: another } = await addImage(backend, eve, design, "another");
    await eve.mutation(api.comments.startThread, { itemId: image, text: "text", key: `comment on ${image}` });
    await eve.mutation(api.tags.tagImage, { id: image, tag: "a tag" });
    await eve.mutation(api.designImages.reorder, { id: another, to: "first" });
    await ada.mutation(api.projects.setFavourite, { id: project, favourite: true });
    await addMember(backend, project, await signUp(backend, "bob"), "viewer");
    await backend.settle();
    expect((await since(after)).revocations).toEqual([]);
  });

  it("deletes old revocations", async () => {
    await backend.inside.mutation(probe.insert, { table: "revocations", row: { rows: ["x"] } });
    await backend.inside.mutation(internal.jobs.revocations.sweep, {});
    expect((await since(0)).revocations.length).toBeGreaterThan(0);
    expect(REVOCATION_RETENTION_MS).toBeGreaterThan(2 * IMAGE_GRANT_MAX_MS);
  });
});

it("builds every mutation so that it records revocations", { tags: "@recorded-mutations" }, async () => {
  const files = (await readdir("convex", { recursive: true })).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("_generated"),
  );
  const importing =
    /import \{[^}]*\b(?:internalMutation|mutation|mutationGeneric)\b[^}]*\} from "(?:[./]+_generated\/server|convex\/server)"/;
  const plain: string[] = [];
  for (const name of files) if (importing.test(await readFile(join("convex", name), "utf8"))) plain.push(name);
  expect(plain.toSorted()).toEqual(["model/access.ts", "model/accounts/adapterStorage.ts", "model/functions.ts"]);
});
