import type { GenericValidator } from "convex/values";
import { expect, it } from "vitest";
import schema from "./schema";

/** Section 3 of the specification, without `_id` and `_creationTime`. Better Auth's `id` is a separate field (`accounts/tables.ts`). */
const specified: Record<string, string[]> = {
  users: ["id", "name", "email", "emailVerified", "image", "createdAt", "updatedAt"],
  accounts: [
    "id",
    "userId",
    "providerId",
    "accountId",
    "password",
    "accessToken",
    "refreshToken",
    "idToken",
    "accessTokenExpiresAt",
    "refreshTokenExpiresAt",
    "scope",
    "createdAt",
    "updatedAt",
  ],
  sessions: ["token", "userId", "createdAt"],
  verifications: ["identifier", "value", "expiresAt"],
  projects: ["name"],
  designs: ["projectId"],
  designImages: ["designId"],
};

function searchIndexes(table: object): { filterFields: string[] }[] {
  return "searchIndexes" in table && Array.isArray(table.searchIndexes) ? table.searchIndexes : [];
}

const tables: { name: string; fields: Record<string, GenericValidator>; indexes: { fields: string[] }[] }[] = Object.entries(
  schema.tables,
).map(([name, table]) => ({
  name,
  fields: table.validator.kind === "object" ? table.validator.fields : {},
  indexes: [...table[" indexes"](), ...searchIndexes(table).map(({ filterFields }) => ({ fields: filterFields }))],
}));
const table = (name: string) => tables.find((each) => each.name === name);

it.each(Object.entries(specified))("%s has the specification's fields", (name, fields) => {
  expect(Object.keys(table(name)?.fields ?? {})).toEqual(expect.arrayContaining(fields));
});

it("uses the specification's spelling for every field", () => {
  const words = new Map(
    Object.values(specified)
      .flat()
      .map((field) => [plain(field), field]),
  );
  for (const { fields } of tables) {
    for (const field of Object.keys(fields)) expect(words.get(plain(field)) ?? field).toBe(field);
  }
});

it("declares a user's picture and the parent ids as specified", () => {
  expect(table("users")?.fields["image"]?.isOptional).toBe("optional");
  expect(table("users")?.fields["emailVerified"]?.kind).toBe("boolean");
  expect(table("designs")?.fields["projectId"]).toMatchObject({ kind: "id", tableName: "projects" });
  expect(table("designImages")?.fields["designId"]).toMatchObject({ kind: "id", tableName: "designs" });
});

/** Looked up only by the item whose fields they copy. */
const COPIES = ["projectAccess", "designAccess"];

it("indexes every reference from one table to another, so that no read scans", () => {
  for (const { name, fields, indexes } of tables.filter((each) => !COPIES.includes(each.name))) {
    // Excludes scheduled calls, because no row is looked up by one.
    const isReference = (field: GenericValidator) => field.kind === "id" && field.tableName !== "_scheduled_functions";
    const references = Object.entries(fields).filter(([name, field]) => isReference(field) || name === "userId" || name === "ownerId");
    for (const [field] of references) {
      expect(
        indexes.map(({ fields: [first] }) => first),
        `${name} has no index by ${field}`,
      ).toContain(field);
    }
  }
});

function plain(field: string): string {
  return field.replaceAll("_", "").toLowerCase();
}
