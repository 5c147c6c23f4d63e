import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, signUp } from "../../tests/convex/backends.ts";
import { equals } from "../../tests/convex/equals.ts";
import { api } from "../_generated/api";
import type { FilterClause } from "../model/accounts/adapterFilters";

const { store } = api.accounts;

describe.each(backends)("the store on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const newUser = (id: string, email = `${id}@example.com`) => ({ id, email, name: id, emailVerified: false, createdAt: 1, updatedAt: 1 });
  const create = (model: string, data: Record<string, unknown>) => server.mutation(store.create, { model, data });

  it("rejects users and anonymous callers", async () => {
    const person = await signUp(backend, "eve");
    const posing = await backend.holder({ subject: "app-server", audience: "atelier-user", sessionId: person.sessionId });
    const read = { model: "users", where: [equals("id", person.userId)] };
    for (const caller of [person, backend.nobody, posing]) {
      await expect(caller.query(store.findOne, read)).rejects.toMatchObject({ data: { code: "unauthenticated" } });
      await expect(caller.query(store.findMany, { ...read, limit: 1 })).rejects.toMatchObject({ data: { code: "unauthenticated" } });
      await expect(caller.query(store.count, read)).rejects.toMatchObject({ data: { code: "unauthenticated" } });
      await expect(caller.mutation(store.create, { model: "users", data: newUser("x") })).rejects.toMatchObject({
        data: { code: "unauthenticated" },
      });
      await expect(caller.mutation(store.update, { ...read, update: { name: "x" } })).rejects.toMatchObject({
        data: { code: "unauthenticated" },
      });
      await expect(caller.mutation(store.updateMany, { ...read, update: { name: "x" } })).rejects.toMatchObject({
        data: { code: "unauthenticated" },
      });
      await expect(caller.mutation(store.deleteMany, read)).rejects.toMatchObject({ data: { code: "unauthenticated" } });
      await expect(caller.mutation(store.consumeOne, read)).rejects.toMatchObject({ data: { code: "unauthenticated" } });
      await expect(caller.mutation(store.incrementOne, { ...read, increment: { createdAt: 1 } })).rejects.toMatchObject({
        data: { code: "unauthenticated" },
      });
      await expect(caller.mutation(store.commit, { writes: [] })).rejects.toMatchObject({ data: { code: "unauthenticated" } });
    }
  });

  it("returns rows without the deployment's own fields", async () => {
    await create("users", newUser("plain"));
    expect(await server.query(store.findOne, { model: "users", where: [equals("id", "plain")] })).toEqual(newUser("plain"));
    expect(await server.query(store.findOne, { model: "users", where: [equals("id", "plain")], select: ["email"] })).toEqual({
      email: "plain@example.com",
    });
  });

  it("rejects reads without an index and unknown tables", async () => {
    const refused = { data: { code: "invalid" } };
    await expect(server.query(store.findMany, { model: "users", where: [equals("name", "x")], limit: 1 })).rejects.toMatchObject(refused);
    await expect(server.query(store.count, { model: "users", where: [] })).rejects.toMatchObject(refused);
    await expect(server.mutation(store.deleteMany, { model: "users", where: [] })).rejects.toMatchObject(refused);
    await expect(server.query(store.findMany, { model: "projects", where: [], limit: 1 })).rejects.toMatchObject(refused);
    expect(await server.query(store.findMany, { model: "users", where: [], limit: 1 })).toHaveLength(1);
  });

  it("rejects duplicates of unique values", async () => {
    const conflict = { data: { code: "conflict" } };
    await create("users", newUser("first"));
    await create("users", newUser("second"));
    await expect(create("users", newUser("third", "first@example.com"))).rejects.toMatchObject(conflict);
    await expect(create("users", newUser("first", "other@example.com"))).rejects.toMatchObject(conflict);
    const move = (email: string) => server.mutation(store.update, { model: "users", where: [equals("id", "second")], update: { email } });
    await expect(move("first@example.com")).rejects.toMatchObject(conflict);
    expect(await move("second@example.com")).toMatchObject({ email: "second@example.com" });
  });

  it("lets one of several callers consume a row", async () => {
    await create("verifications", { id: "v", identifier: "reset-password:t", value: "u", expiresAt: 5, createdAt: 1, updatedAt: 1 });
    const where = [equals("identifier", "reset-password:t")];
    const got = await Promise.all(Array.from({ length: 5 }, () => server.mutation(store.consumeOne, { model: "verifications", where })));
    expect(got.filter((row) => row !== null)).toEqual([expect.objectContaining({ id: "v", value: "u" })]);
  });

  it("commits all writes of a transaction or none", async () => {
    const stored = async (id: string) => server.query(store.findOne, { model: "users", where: [equals("id", id)] });
    const add = { kind: "insert" as const, model: "users", data: newUser("added") };
    const gone = { kind: "delete" as const, model: "verifications", id: "none" };
    await expect(server.mutation(store.commit, { writes: [add, gone] })).rejects.toMatchObject({ data: { code: "conflict" } });
    expect(await stored("added")).toBeNull();

    const rename = { kind: "update" as const, model: "users", id: "added", update: { name: "Ada" } };
    await server.mutation(store.commit, { writes: [add, rename] });
    expect(await stored("added")).toEqual({ ...newUser("added"), name: "Ada" });
    await expect(server.mutation(store.commit, { writes: [add] })).rejects.toMatchObject({ data: { code: "conflict" } });
    await server.mutation(store.commit, { writes: [{ kind: "delete", model: "users", id: "added" }] });
    expect(await stored("added")).toBeNull();
  });

  it("increments only while the condition matches", async () => {
    await create("rateLimits", { id: "r", key: "k", count: 0, lastRequest: 1 });
    const where: FilterClause[] = [equals("key", "k"), { ...equals("count", 3), operator: "lt" }];
    const count = () =>
      server.mutation(store.incrementOne, { model: "rateLimits", where, increment: { count: 1 }, set: { lastRequest: 9 } });
    const got = await Promise.all(Array.from({ length: 5 }, count));
    expect(got.filter((row) => row !== null)).toHaveLength(3);
    expect(await server.query(store.findOne, { model: "rateLimits", where: [equals("key", "k")] })).toMatchObject({
      count: 3,
      lastRequest: 9,
    });
  });

  it("returns joined rows", async () => {
    await create("users", newUser("owner"));
    for (const id of ["s1", "s2", "s3"])
      await create("sessions", { id, token: `t-${id}`, userId: "owner", expiresAt: 9, createdAt: 1, updatedAt: 1 });
    const sessions = { from: "id", to: "userId", limit: 2, one: false };
    const user = await server.query(store.findOne, { model: "users", where: [equals("id", "owner")], joins: { sessions } });
    expect(user).toMatchObject({ id: "owner", sessions: [{ id: "s1" }, { id: "s2" }] });
    const users = { from: "userId", to: "id", limit: 100, one: true };
    const session = await server.query(store.findOne, { model: "sessions", where: [equals("token", "t-s3")], joins: { users } });
    expect(session).toMatchObject({ id: "s3", users: { id: "owner" } });
  });

  it("deletes in batches and reports remaining rows", { tags: "slow" }, async () => {
    for (let n = 0; n < 501; n++) await create("rateLimits", { id: `old${n}`, key: `old${n}`, count: 1, lastRequest: -1 });
    const where: FilterClause[] = [{ ...equals("lastRequest", 0), operator: "lt" }];
    expect(await server.mutation(store.deleteMany, { model: "rateLimits", where })).toEqual({ count: 500, more: true });
    expect(await server.mutation(store.deleteMany, { model: "rateLimits", where })).toEqual({ count: 1, more: false });
  });
});
