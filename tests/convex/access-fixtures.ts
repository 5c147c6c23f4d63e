import { randomUUID } from "node:crypto";
import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { MemberRole } from "../../convex/model/rights";
import { appServer, type Backend, type Caller, type Person, probe, signOut, signUp } from "./backends.ts";
import { addImage } from "./pictures.ts";

export const MEMBER_ROLES = ["editor", "commenter", "viewer"] as const satisfies MemberRole[];

export type TestItems = {
  project: Id<"projects">;
  design: Id<"designs">;
  image: Id<"designImages">;
  trashed: Id<"designs">;
  thread: Id<"commentThreads">;
  comment: Id<"comments">;
  storageId: Id<"_storage">;
};

export type Fixtures = {
  backend: Backend;
  ada: Person;
  administrator: Person;
  bob: Person;
  signedOut: Person;
  expired: Person;
  mixedUp: Caller;
  withoutSession: Caller;
  nobody: Caller;
  server: Caller;
  forgers: Caller[];
  pretenders: Caller[];
  adaItems: TestItems;
  bobItems: TestItems;
  bobs(): Promise<unknown>;
  members: { roles: Record<MemberRole, Person>; removed: Person; signedOut: Person };
  sharedItems(): Promise<TestItems>;
  ownItems(person: Person): Promise<TestItems>;
  contentOf(items: TestItems): Promise<unknown>;
  authored(person: Person, items: TestItems): Promise<string>;
  absent(kind: keyof TestItems, trashToo?: boolean, anyKind?: boolean): string[];
};

export async function makeItems(backend: Backend, person: Person): Promise<TestItems> {
  const project = await person.mutation(api.projects.create, { name: `${person.userId}'s project` });
  const design = await person.mutation(api.designs.create, { projectId: project, name: "a design" });
  const trash = async () => {
    const id = await person.mutation(api.designs.create, { projectId: project, name: "trashed" });
    await person.mutation(api.designs.moveToTrash, { id });
    return id;
  };
  const [{ id: image, storageId }, trashed] = await Promise.all([addImage(backend, person, design, "an image"), trash()]);
  const insert = (table: string, row: object) => backend.inside.mutation(probe.insert, { table, row });
  const written = { authorId: person.userId, key: randomUUID() };
  const thread = await insert("commentThreads", { ...written, itemId: image, lastAt: 1, commentCount: 2 });
  const ofThread = { ...written, threadId: thread, text: "text", createdAt: 1, mentions: [] };
  const [comment] = await Promise.all([
    insert("comments", { ...ofThread, isReply: false }),
    insert("comments", { ...ofThread, isReply: true }),
    backend.inside.mutation(probe.patch, { table: "designImages", id: image, fields: { lastCommentAt: 1, openThreadCount: 1 } }),
  ]);
  return { project, design, image, trashed, storageId, thread, comment } as TestItems;
}

export const addMember = (backend: Backend, projectId: string, { userId }: Person, role: MemberRole) =>
  backend.inside.mutation(probe.insert, { table: "projectMembers", row: { projectId, userId, role, addedAt: Date.now(), addedBy: "ada" } });

export async function setUser(backend: Backend, { userId }: Person, fields: object): Promise<void> {
  const [row] = await backend.inside.query(probe.rows, { table: "users", field: "id", value: userId });
  await backend.inside.mutation(probe.patch, { table: "users", id: String(row?.["_id"]), fields });
}

export async function setSession(backend: Backend, { sessionId }: Person, fields: object): Promise<void> {
  const [row] = await backend.inside.query(probe.rows, { table: "sessions", field: "id", value: sessionId });
  await backend.inside.mutation(probe.patch, { table: "sessions", id: String(row?.["_id"]), fields });
}

export async function createFixtures(backend: Backend): Promise<Fixtures> {
  const administrator = await signUp(backend, "admin");
  await setUser(backend, administrator, { isAdministrator: true });
  const ada = await signUp(backend, "ada");
  const bob = await signUp(backend, "bob");
  const signedOut = await signUp(backend, "eve");
  await signOut(backend, signedOut);
  const expired = await signUp(backend, "max", Date.now() - 1);
  const user = { subject: ada.userId, audience: "atelier-user" } as const;
  const adaItems = await makeItems(backend, ada);
  const bobItems = await makeItems(backend, bob);

  const hidden = await makeItems(backend, ada);
  await ada.mutation(api.projects.moveToTrash, { id: hidden.project });
  const purged = await makeItems(backend, ada);
  await ada.mutation(api.projects.moveToTrash, { id: purged.project });
  await ada.mutation(api.trash.purge, { id: purged.project });
  const deleted = await makeItems(backend, ada);
  await backend.inside.mutation(probe.remove, { table: "designs", id: deleted.trashed });
  await backend.inside.mutation(probe.remove, { table: "designImages", id: deleted.image });
  await backend.inside.mutation(probe.remove, { table: "commentThreads", id: deleted.thread });
  await backend.inside.mutation(probe.remove, { table: "designs", id: deleted.design });
  await backend.inside.mutation(probe.remove, { table: "projects", id: deleted.project });

  const [editor, commenter, viewer] = [await signUp(backend, "ed"), await signUp(backend, "com"), await signUp(backend, "vi")];
  const members = { roles: { editor, commenter, viewer }, removed: await signUp(backend, "rem"), signedOut };
  const addMembers = async (projectId: string) => {
    const [, removed] = await Promise.all([
      addMember(backend, projectId, signedOut, "editor"),
      addMember(backend, projectId, members.removed, "editor"),
      ...MEMBER_ROLES.map((role) => addMember(backend, projectId, members.roles[role], role)),
    ]);
    await backend.inside.mutation(probe.remove, { table: "projectMembers", id: removed });
  };
  await addMembers(adaItems.project);
  const own = new Map([[ada.userId, Promise.resolve(adaItems)]]);

  return {
    backend,
    ada,
    bob,
    administrator,
    members,
    async sharedItems() {
      const items = await makeItems(backend, ada);
      await addMembers(items.project);
      return items;
    },
    ownItems(person) {
      const items = own.get(person.userId) ?? (person.userId === signedOut.userId ? Promise.resolve(adaItems) : makeItems(backend, person));
      own.set(person.userId, items);
      return items;
    },
    authored: ({ userId }, { thread: threadId }) => {
      const row = { threadId, isReply: true, authorId: userId, text: "own", createdAt: 1, mentions: [], key: randomUUID() };
      return backend.inside.mutation(probe.insert, { table: "comments", row });
    },
    contentOf: async ({ project, design, image, trashed, thread }) => [
      await ada.query(api.comments.getThread, { threadId: thread }),
      await ada.query(api.projects.getProjectById, { id: project }),
      await ada.query(api.designs.getDesignsByProjectId, { projectId: project }),
      await ada.query(api.designImages.getDesignImagesByDesignId, { designId: design }),
      await ada.query(api.versions.getVersions, { imageId: image }),
      await ada.query(api.trash.getTrashed, { id: trashed }),
    ],
    signedOut,
    expired,
    mixedUp: await backend.holder({ ...user, sessionId: bob.sessionId }),
    withoutSession: await backend.holder(user),
    nobody: backend.nobody,
    server: await appServer(backend),
    forgers: [
      await backend.holder({ ...user, sessionId: ada.sessionId, issuer: "https://elsewhere.invalid" }),
      await backend.holder({ subject: "app-server", audience: "atelier-service", service: true, issuer: "https://elsewhere.invalid" }),
    ],
    pretenders: [
      await backend.holder({ subject: "app-server", audience: "atelier-user", sessionId: ada.sessionId }),
      await backend.holder({ subject: "app-server", audience: "atelier-user", sessionId: ada.sessionId, service: true }),
      await backend.holder({ subject: "app-server", audience: "atelier-user" }),
      await backend.holder({ ...user, sessionId: ada.sessionId, service: true }),
    ],
    adaItems,
    bobItems,
    bobs: async () => [
      await bob.query(api.projects.getProjectById, { id: bobItems.project }),
      await bob.query(api.designs.getDesignsByProjectId, { projectId: bobItems.project }),
      await bob.query(api.designImages.getDesignImagesByDesignId, { designId: bobItems.design }),
    ],
    absent: (kind, trashToo = kind === "trashed", anyKind = false) =>
      [...(trashToo ? [] : [hidden]), purged, deleted, ...(anyKind ? [] : [adaItems])].flatMap((items) =>
        [items.project, items.design, items.image, items.trashed, items.storageId, items.thread, items.comment].filter(
          (id) => items !== adaItems || (id !== items[kind] && !(trashToo && kind === "design" && id === items.trashed)),
        ),
      ),
  };
}
