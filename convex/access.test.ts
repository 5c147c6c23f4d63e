import { readFile } from "node:fs/promises";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { commenting, insertLink, insertToken } from "../tests/convex/access-arguments.ts";
import {
  createFixtures,
  type Fixtures,
  makeItems,
  MEMBER_ROLES,
  setSession,
  setUser,
  type TestItems,
} from "../tests/convex/access-fixtures.ts";
import { backends, type Caller, linkVisitor, type Person, probe, signOut, signUp } from "../tests/convex/backends.ts";
import { type Entry, entries, validArguments } from "../tests/convex/access-entries.ts";
import { refused } from "../tests/convex/expect.ts";
import { exportedFunctions } from "../tests/convex/exported-functions.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import { refusalOf } from "./model/errors";
import { allows, type MemberRole, RIGHTS } from "./model/rights";

/** Tests per convex-test backend: each of its queries reads all rows, so more rows make it slower. */
const TESTS_PER_BACKEND = 50;

const SENDERS: Record<string, "write" | "comment"> = {
  "uploads:getStorageOwner": "write",
  "uploads:generateUploadUrl": "write",
  "uploads:finalize": "write",
  "versions:finalize": "write",
  "commentImages:generateUploadUrl": "comment",
  "commentImages:finalize": "comment",
};

const scopeOf = (name: string): "read" | "comment" => (/:(?:startThread|reply)$/.test(name) ? "comment" : "read");

const entriesBy = (by: Entry["by"]) => Object.entries(entries).filter(([, entry]) => entry.by === by);
const entriesOnItems = Object.entries(entries).flatMap(([name, { on, ...entry }]) => (on ? [[name, { on, ...entry }] as const] : []));

const UNRECORDED: Record<string, string> = {
  "projects:setFavourite": "orders only the user's own list",
  "projects:reorder": "orders only the user's own list",
  "designs:setFavourite": "orders only the user's own list",
  "many:favouriteDesigns": "orders only the user's own list",
  "designImages:rotate": "undo and a further rotation restore it; the file is unchanged",
  "uploads:admit": "finalize records it",
  "uploads:generateUploadUrl": "finalize records it",
  "uploads:generateUploadUrls": "finalizeMany records it",
  "uploads:noteDetails": "details of the same file",
  "uploads:discard": "no image was created",
};

const EFFECTIVE_ARGS: Record<string, (fixtures: Fixtures, args: Record<string, unknown>) => Promise<Record<string, unknown>>> = {
  "designs:reorder": async ({ ada }, { id }) => {
    const { projectId } = await ada.query(api.designs.getDesignById, { id: String(id) });
    await ada.mutation(api.designs.create, { projectId, name: "another" });
    return { to: "last" };
  },
  "designImages:reorder": async ({ backend, ada }, { id }) => {
    const { image } = await ada.query(api.designImages.getDesignImageInPlace, { id: String(id) });
    await addImage(backend, ada, image.designId, "another");
    return { to: "last" };
  },
  "designs:setCover": async ({ ada }, { id }) => ({ imageId: (await imagesOf(ada, String(id)))[0]?._id }),
  "projects:setCover": async ({ ada }, { id }) => {
    const [design] = await ada.query(api.designs.getDesignsByProjectId, { projectId: String(id) });
    return { imageId: (await imagesOf(ada, design?._id ?? ""))[0]?._id };
  },
  "tags:untagDesign": async ({ ada }, { id }) => ada.mutation(api.tags.tagDesign, { id: String(id), tag: "poster" }).then(() => ({})),
  "tags:untagImage": async ({ ada }, { id }) => ada.mutation(api.tags.tagImage, { id: String(id), tag: "poster" }).then(() => ({})),
  "many:untagDesigns": async ({ ada }, { ids }) => ada.mutation(api.many.tagDesigns, { ids: idsOf(ids), tag: "poster" }).then(() => ({})),
  "many:untagImages": async ({ ada }, { ids }) => ada.mutation(api.many.tagImages, { ids: idsOf(ids), tag: "poster" }).then(() => ({})),
};

const imagesOf = (person: Person, designId: string) => person.query(api.designImages.getDesignImagesByDesignId, { designId });
const codeOf = (error: unknown) => refusalOf(error)?.code;
const idsOf = (ids: unknown): string[] => (Array.isArray(ids) ? ids.map(String) : []);

const contentChanges = (await exportedFunctions()).flatMap(({ name, type, isPublic }) => {
  const entry = entries[name];
  const isContents = /^(projects|designs|designImages|many|trash|tags|versions|uploads):/.test(name);
  return entry && isPublic && type === "Mutation" && isContents ? [[name, entry] as const] : [];
});

it("has an entry for every public function, and no other entries", { tags: "@has-entry-every-public-function-no" }, async () => {
  const functions = await exportedFunctions();
  expect(
    functions
      .filter(({ isPublic }) => isPublic)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(Object.keys(entries).toSorted());
  expect(functions.filter(({ isPublic }) => !isPublic).length).toBeGreaterThan(0);
});

it("docs/access.md has the rights of each role and the right of each function", async () => {
  const text = await readFile("docs/access.md", "utf8");
  const tableRows = text.split("\n").filter((line) => line.startsWith("| `"));
  const cells = tableRows.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const ofRoles = cells.filter(({ length }) => length === 5).map(([right = "", ...roles]) => [/`(\w+)`/.exec(right)?.[1], ...roles]);
  const roles = ["owner", ...MEMBER_ROLES] as const;
  expect(ofRoles).toEqual(
    Object.entries(RIGHTS).map(([right, has]) => [right, ...roles.map((role) => (has.includes(role) ? "yes" : "–"))]),
  );

  const ofLinks = cells
    .filter(({ length, 0: each }) => length === 2 && !each?.startsWith("`/"))
    .map(([each = ""]) => each.replaceAll("`", ""));
  const reached = Object.entries(entries).filter(([, { by, link }]) => link || by === "server for a link");
  expect(ofLinks.toSorted()).toEqual(reached.map(([each]) => each).toSorted());

  const needs = cells
    .filter(({ length }) => length === 3)
    .flatMap(([module = "", right = "", functions = ""]) =>
      functions.split(", ").map((each) => `${module}:${each} ${right}`.replaceAll("`", "")),
    );
  const own = ({ by, on, ...entry }: Entry) =>
    (entry.administrator && "administrator") ?? on?.[2] ?? (["server", "server for a link"].includes(by) ? "server" : "own");
  expect(needs.toSorted()).toEqual(
    Object.entries(entries)
      .map(([each, entry]) => `${each} ${own(entry)}`)
      .toSorted(),
  );
});

it("lists arguments and results of all public functions", { tags: "@says-what-every-public-function-this" }, async () => {
  const modules = import.meta.glob<Record<string, { exportReturns?: () => string; exportArgs?: () => string }>>([
    "./*.ts",
    "!./*.test.ts",
    "!./{crons,schema,auth.config}.ts",
  ]);
  for (const [path, load] of Object.entries(modules)) {
    for (const [key, value] of Object.entries(await load())) {
      if (!value?.exportReturns) continue;
      expect(JSON.parse(value.exportArgs?.() ?? "null"), `${path} ${key} args`).toHaveProperty("type", "object");
      expect(JSON.parse(value.exportReturns()), `${path} ${key} returns`).not.toBeNull();
    }
  }
});

for (const backend of backends) {
  describe(`access on ${backend.name}`, { tags: backend.scansAllRows ? [] : ["slow"] }, () => {
    testAccess(backend);
  });
}

function testAccess({ start, scansAllRows }: Pick<(typeof backends)[number], "start" | "scansAllRows">): void {
  let fixtures: Fixtures;
  let tests = 0;
  let types: Map<string, "Query" | "Mutation" | "Action">;
  beforeAll(async () => {
    types = new Map((await exportedFunctions()).map(({ name, type }) => [name, type]));
    fixtures = await createFixtures(await start());
  });
  beforeEach(async () => {
    if (!scansAllRows || ++tests % TESTS_PER_BACKEND !== 0) return;
    await fixtures.backend.close();
    fixtures = await createFixtures(await start());
    unchanged = undefined;
    links = undefined;
  });
  afterAll(() => fixtures.backend.close());

  const call = (caller: Caller, name: string, args: Record<string, unknown>) =>
    types.get(name) === "Query"
      ? caller.query(makeFunctionReference<"query">(name), args)
      : caller.mutation(makeFunctionReference<"mutation">(name), args);

  let unchanged: Promise<TestItems> | undefined;
  const refusedArgs = async (entry: Entry) =>
    rightful(entry, fixtures.ada, await (unchanged ??= makeItems(fixtures.backend, fixtures.ada)));

  const rightful = (entry: Entry, person: Person, given?: TestItems) => validArguments(fixtures, entry, person, given);

  const isForOwners = ([, { on }]: [string, Entry]) => !on || allows("owner", on[2]);

  it.each(Object.entries(entries).filter(isForOwners))("%s accepts its permitted callers", async (name, entry) => {
    const person = entry.administrator ? fixtures.administrator : fixtures.ada;
    const caller = entry.by === "person" ? person : fixtures.server;
    await expect(call(caller, name, await rightful(entry, person))).resolves.toBeDefined();
  });

  it.each(Object.entries(entries).filter(([, entry]) => entry.administrator))(
    "%s refuses users, former administrators and disabled ones",
    { tags: "@administration-refuses-others" },
    async (name, entry) => {
      const { backend, ada, bob, administrator, server } = fixtures;
      const [former, left, disabled] = await Promise.all(["former", "left", "disabled"].map((each) => signUp(backend, each)));
      if (!former || !left || !disabled) throw new Error("A person is missing.");
      await setUser(backend, disabled, { isAdministrator: true, disabledAt: 1 });
      await server.mutation(api.accounts.administrators.set, { userId: former.userId, isAdministrator: true });
      await server.mutation(api.accounts.administrators.set, { userId: former.userId, isAdministrator: false });
      await setSession(backend, left, { issuer: "oidc-acme", issuerSubject: left.userId, adminGroup: "admins" });
      await server.mutation(api.accounts.administrators.endGroup, { issuer: "oidc-acme", issuerSubject: left.userId });
      const args = await rightful(entry, administrator, fixtures.adaItems);
      const by = (person: Person) =>
        call(entry.by === "person" ? person : server, name, entry.by === "person" ? args : { ...args, sessionId: person.sessionId });
      const codes = [];
      for (const person of [ada, bob, former, left, disabled]) codes.push((await refused(by(person))).code);
      expect(codes).toEqual(["not_found", "not_found", "not_found", "not_found", "unauthenticated"]);
      await setSession(backend, left, { adminGroup: "admins" });
      await expect(by(left)).resolves.toBeDefined();
    },
  );

  it.each(contentChanges)("records %s in the project's history", async (name, entry) => {
    const readActivities = async () => {
      const rows = await fixtures.backend.inside.query(probe.rows, { table: "activities" });
      return rows.map(({ _id, kind, at, count, thing }) => [_id, kind, at, count, thing]);
    };
    const args = { ...(await rightful(entry, fixtures.ada)) };
    Object.assign(args, await EFFECTIVE_ARGS[name]?.(fixtures, args));
    await fixtures.backend.settle();
    const before = await readActivities();
    await call(entry.by === "person" ? fixtures.ada : fixtures.server, name, args);
    const isRecorded = JSON.stringify(await readActivities()) !== JSON.stringify(before);
    expect(isRecorded, UNRECORDED[name]).toBe(UNRECORDED[name] === undefined);
  });

  it.each(Object.entries(entries))(
    "%s refuses calls without a token and tokens of the wrong kind",
    { tags: "@closed-without-token-not" },
    async (name, entry) => {
      const args = await refusedArgs(entry);
      const others = entry.by === "person" ? [fixtures.nobody, fixtures.server] : [fixtures.nobody, fixtures.ada, ...fixtures.pretenders];
      for (const other of others) expect(await refused(call(other, name, args))).toEqual({ code: "unauthenticated" });
      for (const other of fixtures.forgers) await expect(call(other, name, args)).rejects.toBeInstanceOf(Error);
    },
  );

  it.each(entriesBy("person"))(
    "%s refuses an ended session and another person's session",
    { tags: "@closed-session-has-been-ended-another" },
    async (name, entry) => {
      const args = await refusedArgs(entry);
      for (const other of [fixtures.signedOut, fixtures.mixedUp, fixtures.withoutSession]) {
        expect(await refused(call(other, name, args))).toEqual({ code: "unauthenticated" });
      }
    },
  );

  it.each(entriesBy("server for a session"))("%s refuses an ended, expired or unknown session", async (name, entry) => {
    const args = await refusedArgs(entry);
    for (const sessionId of [fixtures.signedOut.sessionId, fixtures.expired.sessionId, "", "never"]) {
      expect(await refused(call(fixtures.server, name, { ...args, sessionId }))).toEqual({ code: "unauthenticated" });
    }
  });

  it.each(entriesBy("server for a token"))("%s refuses expired tokens and tokens without the scope", async (name, entry) => {
    const { backend, ada, server } = fixtures;
    const args = await refusedArgs(entry);
    const scopes = { read: ["write", "comment"], comment: ["read", "write"] }[scopeOf(name)];
    const expired = await insertToken(backend, ada, { expiresAt: Date.now() - 1 });
    const others = [expired, await insertToken(backend, ada, { scopes }), await insertToken(backend, ada, { userId: "nobody" })];
    for (const tokenHash of [...others.map((each) => each.tokenHash), "", "never"])
      expect(await refused(call(server, name, { ...args, tokenHash }))).toEqual({ code: "unauthenticated" });
  });

  it("accepts access tokens for uploads only", async () => {
    const { backend, ada, server } = fixtures;
    for (const [name, entry] of entriesBy("server for a session")) {
      const { sessionId: _, ...args } = await rightful(entry, ada);
      const { tokenHash } = await insertToken(backend, ada);
      const outcome = await call(server, name, { ...args, tokenHash }).then(
        () => "ok",
        () => "refused",
      );
      expect(`${name} ${outcome}`).toBe(`${name} ${name in SENDERS ? "ok" : "refused"}`);
      if (!(name in SENDERS)) continue;
      const scopes = ["read", "write", "comment"].filter((scope) => scope !== SENDERS[name]);
      const reader = await insertToken(backend, ada, { scopes });
      expect(await refused(call(server, name, { ...args, tokenHash: reader.tokenHash }))).toEqual({ code: "unauthenticated" });
    }
  });

  it.each(entriesOnItems)(
    "%s throws the same error for foreign, removed, missing and malformed ids",
    { tags: "@tells-another-persons-removed-missing-malformed" },
    async (name, entry) => {
      const [kind, argument] = entry.on;
      const caller = entry.by === "person" ? fixtures.ada : fixtures.server;
      const args = await refusedArgs(entry);
      const before = await fixtures.bobs();
      const wrong = [
        fixtures.bobItems[kind],
        ...fixtures.absent(kind, entry.trashToo, entry.anyKind),
        "",
        "nonsense",
        "a".repeat(5000),
        "../projects",
        fixtures.ada.userId,
      ];
      for (const id of wrong) {
        const right = args[argument];
        const refusal = await refused(call(caller, name, { ...args, [argument]: Array.isArray(right) ? [...right, id] : id }));
        expect(refusal, `${argument} = ${id.slice(0, 40)}`).toEqual({ code: "not_found" });
      }
      expect(await fixtures.bobs()).toEqual(before);
    },
  );

  it.each(entriesOnItems)("%s accepts exactly the roles that have its right", async (name, { on, ...entry }) => {
    const right = on[2];
    const { roles, removed, signedOut } = fixtures.members;
    const prepared = async (person: Person, items: TestItems) => {
      const args = await rightful({ ...entry, on }, person, items);
      return () => call(entry.by === "person" ? person : fixtures.server, name, args);
    };
    const [allowed = [], others = []] = [true, false].map((isAllowed) => MEMBER_ROLES.filter((role) => allows(role, right) === isAllowed));
    const owner = allows("owner", right) ? [] : [fixtures.ada];
    // An access token outlives the session.
    const ended = entry.by === "server for a token" ? [] : [signedOut];
    const items = await fixtures.sharedItems();
    const refusals = await Promise.all(
      [...others.map((role) => roles[role]), fixtures.bob, removed, ...owner, ...ended].map((person) => prepared(person, items)),
    );
    const before = await fixtures.contentOf(items);
    const codes = [];
    for (const calling of refusals) codes.push((await refused(calling())).code);
    expect(codes).toEqual([...refusals.slice(ended.length).map(() => "not_found"), ...ended.map(() => "unauthenticated")]);
    expect(await fixtures.contentOf(items)).toEqual(before);
    const accept = async (role: MemberRole) => {
      const calling = await prepared(roles[role], await fixtures.sharedItems());
      await expect(calling(), role).resolves.toBeDefined();
    };
    await Promise.all(allowed.map(accept));
  });

  let links: ReturnType<typeof makeLinks> | undefined;
  async function makeLinks() {
    const { backend, ada, bobItems } = fixtures;
    const { project } = await (unchanged ??= makeItems(backend, ada));
    const revoked = await insertLink(backend, project);
    await backend.inside.mutation(probe.remove, { table: "links", id: revoked });
    const claims = { subject: "public-link", audience: "atelier-link" } as const;
    const elsewhere = { ...claims, linkId: await insertLink(backend, project), lock: 0, issuer: "https://elsewhere.invalid" };
    return {
      viewing: await linkVisitor(backend, await insertLink(backend, project)),
      commenting: await linkVisitor(backend, await insertLink(backend, project, commenting)),
      ofOthers: await linkVisitor(backend, await insertLink(backend, bobItems.project, commenting)),
      forger: await backend.holder(elsewhere),
      earlierBuild: await backend.holder({ ...claims, linkId: await insertLink(backend, project), lock: 0 }),
      closed: [
        await linkVisitor(backend, await insertLink(backend, project, { passwordHash: "x", lock: 1 })),
        await linkVisitor(backend, await insertLink(backend, project, { expiresAt: Date.now() - 1 })),
        await linkVisitor(backend, await insertLink(backend, project, { expiredAt: Date.now() })),
        await linkVisitor(backend, revoked),
        await linkVisitor(backend, "nonsense"),
        await backend.holder(claims),
        await backend.holder({ ...claims, subject: "public-link other", linkId: await insertLink(backend, project), lock: 0 }),
        await backend.holder({ ...claims, linkId: await insertLink(backend, project), lock: 0, sessionId: ada.sessionId }),
      ],
    };
  }

  it.each(Object.entries(entries))("%s is available to visitors of open links only if it is listed", async (name, entry) => {
    const { viewing, earlierBuild, commenting, ofOthers, forger, closed } = await (links ??= makeLinks());
    const args = await refusedArgs(entry);
    for (const other of closed) expect(await refused(call(other, name, args))).toEqual({ code: "unauthenticated" });
    await expect(call(forger, name, args)).rejects.toBeInstanceOf(Error);
    const visitors = [ofOthers, viewing, earlierBuild, commenting];
    const answers = await Promise.all(visitors.map((visitor) => call(visitor, name, args).then(() => "ok", codeOf)));
    const closedToAll = visitors.map(() => "unauthenticated");
    const seen = entry.link === "comments" ? "not_found" : "ok";
    expect(answers).toEqual(entry.link ? ["not_found", seen, seen, "ok"] : closedToAll);
  });

  it("shows each person their own projects and nobody else's", { tags: "@shows-each-person-own-projects-nobody" }, async () => {
    const carol = await signUp(fixtures.backend, "carol");
    await carol.mutation(api.projects.create, { name: "carol's" });
    expect(await names(carol)).toEqual(["carol's"]);
    expect(await names(fixtures.ada)).not.toContain("carol's");
    const { page } = await fixtures.ada.query(api.projects.listProjects, { paginationOpts: { cursor: null, numItems: 200 } });
    expect(page.map(({ name }) => name)).not.toContain("carol's");
  });

  it("refuses a token after its session has ended", { tags: "@ends-session-same-token-refused-after" }, async () => {
    const dora = await signUp(fixtures.backend, "dora");
    expect(await dora.query(api.projects.getProjects, {})).toEqual([]);
    await signOut(fixtures.backend, dora);
    expect(await refused(dora.query(api.projects.getProjects, {}))).toEqual({ code: "unauthenticated" });
  });

  it("exposes no storage ids and no addresses", { tags: "@shows-storage-ids-addresses-nobody" }, async () => {
    const { project, design } = fixtures.adaItems;
    const shown = JSON.stringify([
      await fixtures.ada.query(api.projects.getProjects, {}),
      await fixtures.ada.query(api.projects.getProjectById, { id: project }),
      await fixtures.ada.query(api.designs.getDesignsByProjectId, { projectId: project }),
      await fixtures.ada.query(api.designImages.getDesignImagesByDesignId, { designId: design }),
    ]);
    expect(shown).toContain(fixtures.adaItems.image);
    expect(shown).not.toContain(fixtures.adaItems.storageId);
    expect(shown).not.toMatch(/storage|https?:/i);
  });
}

const names = async (person: Person) => (await person.query(api.projects.getProjects, {})).map(({ name }) => name);
