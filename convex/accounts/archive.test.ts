import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { allDataOf, ownedTables } from "../../tests/convex/everything.ts";
import { refused } from "../../tests/convex/expect.ts";
import { api } from "../_generated/api";

const paginationOpts = { cursor: null, numItems: 100 };

const MARKS: Record<string, (row: Record<string, unknown>) => unknown> = {
  users: (row) => row["email"],
  accounts: (row) => row["id"],
  sessions: (row) => row["id"],
  sessionActivity: (row) => row["at"],
  verifications: (row) => row["expiresAt"],
  twoFactors: (row) => row["id"],
  passkeys: (row) => row["id"],
  subscriptions: (row) => row["id"],
  notices: (row) => row["at"],
  devices: (row) => row["seenAt"],
  mails: (row) => row["expiresAt"],
  userPictures: (row) => row["checksum"],
  undoSteps: (row) => row["at"],
  bulkSelections: (row) => row["at"],
  bulkPages: (row) => row["at"],
  bulkJobs: (row) => row["at"],
  invitations: (row) => row["expiresAt"],
  projectMembers: (row) => row["addedAt"],
  links: (row) => row["createdAt"],
  accessTokens: (row) => row["createdAt"],
  webhooks: (row) => row["createdAt"],
  webhookDeliveries: (row) => row["createdAt"],
  linkVisits: (row) => row["lastUsedAt"],
  savedLinks: (row) => row["savedAt"],
  transfers: (row) => row["createdAt"],
  favourites: (row) => row["favouriteAt"],
  projects: (row) => row["_id"],
  designs: (row) => row["_id"],
  designImages: (row) => row["_id"],
  tags: (row) => row["label"],
  taggings: (row) => row["thing"],
  imageVersions: (row) => row["_id"],
  usage: (row) => row["bytes"],
  activities: (row) => row["_id"],
  commentThreads: (row) => row["_id"],
  comments: (row) => row["_id"],
  commentImages: (row) => row["_id"],
  commentReactions: (row) => row["commentId"],
  commentMentions: (row) => row["threadId"],
  commentReads: (row) => row["readAt"],
  reviewRequests: (row) => row["at"],
  notificationSettings: (row) => row["timeZone"],
  mutedProjects: (row) => row["projectId"],
  auditEvents: (row) => row["at"],
};

/** Tables that are not exported, because their rows are deleted within half a minute after the last tab closes. */
const TRANSIENT = ["presence", "presenceBeats", "presencePointers"];

/** Tables with copies of fields of exported tables. */
const COPIES = ["projectAccess", "designAccess"];

describe.each(backends)("account archive on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const archive = api.accounts.archive;

  async function archiveOf({ sessionId }: Person) {
    const account: unknown = await server.query(api.accounts.belongings.account, { sessionId });
    const activities = (await server.query(archive.activities, { sessionId, paginationOpts })).page;
    const favourites = (await server.query(archive.favourites, { sessionId, paginationOpts })).page;
    const links = (await server.query(archive.links, { sessionId, paginationOpts })).page;
    const programs = (await server.query(archive.accessTokens, { sessionId, paginationOpts })).page;
    const webhooks = (await server.query(archive.webhooks, { sessionId, paginationOpts })).page;
    const comments = (await server.query(archive.comments, { sessionId, paginationOpts })).page;
    const reactions = (await server.query(archive.reactions, { sessionId, paginationOpts })).page;
    const savedLinks = (await server.query(archive.savedLinks, { sessionId, paginationOpts })).page;
    const auditEvents = (await server.query(archive.auditEvents, { sessionId, paginationOpts })).page;
    const transfers = await server.query(archive.transfers, { sessionId });
    const projects = (await server.query(archive.projects, { sessionId, paginationOpts })).page;
    const inside = [];
    for (const { id: projectId } of projects) {
      const designs = (await server.query(archive.designs, { sessionId, projectId, paginationOpts })).page;
      for (const { id: designId } of designs) {
        const images = (await server.query(archive.images, { sessionId, designId, paginationOpts })).page;
        for (const { id: imageId } of images) inside.push(await server.query(archive.versions, { sessionId, imageId }));
        inside.push(images);
      }
      inside.push(designs);
    }
    const own = { account, activities, favourites, links, comments, reactions, programs, webhooks, savedLinks, transfers, auditEvents };
    return JSON.stringify({ ...own, projects, inside });
  }

  it("contains every table of the user, but no secrets and nothing of others", async () => {
    const ada = await signUp(backend, "ada");
    await allDataOf(backend, ada);
    const before = new Map(
      await Promise.all(ownedTables.map(async (table) => [table, (await backend.inside.query(probe.rows, { table })).length] as const)),
    );
    const bob = await signUp(backend, "bob");
    await allDataOf(backend, bob);

    const message = await archiveOf(bob);
    for (const table of ownedTables.filter((each) => ![...TRANSIENT, ...COPIES].includes(each))) {
      const rows = (await backend.inside.query(probe.rows, { table })).slice(before.get(table));
      expect(rows, table).not.toEqual([]);
      for (const row of rows) {
        const mark = MARKS[table]?.(row);
        expect(message.includes(JSON.stringify(mark)), `${table}: ${JSON.stringify(mark)}`).toBe(mark !== undefined);
        expect(mark, `a row of ${table} is in no archive`).toBeDefined();
      }
    }
    expect(message).not.toMatch(/secret x|token|trust-device-/);
    expect(message).not.toContain(ada.userId);
  });

  it("contains trashed items and their files until they are purged", async () => {
    const carol = await signUp(backend, "carol");
    const { projectId, designId, imageId } = await allDataOf(backend, carol);
    const { sessionId } = carol;
    const [older] = await server.query(archive.versions, { sessionId, imageId });
    for (const [move, id] of [
      [api.designImages.moveToTrash, imageId],
      [api.designs.moveToTrash, designId],
      [api.projects.moveToTrash, projectId],
    ] as const) {
      await carol.mutation(move, { id });
      const [[project], [design], [image]] = await Promise.all([
        server.query(archive.projects, { sessionId, paginationOpts }).then(({ page }) => page),
        server.query(archive.designs, { sessionId, projectId, paginationOpts }).then(({ page }) => page),
        server.query(archive.images, { sessionId, designId, paginationOpts }).then(({ page }) => page),
      ]);
      expect([project?.id, design?.id, image?.id]).toEqual([projectId, designId, imageId]);
      expect(image).toMatchObject({ removedAt: expect.any(Number) });
    }
    const addresses = await Promise.all([
      server.query(archive.file, { sessionId, imageId }),
      server.query(archive.file, { sessionId, imageId, versionId: older?.id ?? "" }),
    ]);
    expect(new Set(addresses).size).toBe(2);
    expect(await refused(server.query(archive.file, { sessionId, imageId, versionId: "nonsense" }))).toEqual({ code: "not_found" });

    await carol.mutation(api.trash.purge, { id: projectId });
    expect((await server.query(archive.projects, { sessionId, paginationOpts })).page).toEqual([]);
    expect(await refused(server.query(archive.file, { sessionId, imageId }))).toEqual({ code: "not_found" });
  });
});
