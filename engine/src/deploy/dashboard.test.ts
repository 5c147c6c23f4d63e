import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushFixture } from "../../tests/deployed.ts";
import { ADMIN_KEY, createIssuer, removeFolder, temporaryFolder } from "../../tests/harness.ts";
import { startDeployment, type Deployment } from "../deployment.ts";

let dataDir: string;
let project: string;
let deployment: Deployment;

beforeAll(async () => {
  dataDir = temporaryFolder("dashboard");
  deployment = await startDeployment({ dataDir, port: 0, adminKey: ADMIN_KEY });
  project = await pushFixture(deployment, await createIssuer());
});
afterAll(async () => {
  await deployment.close();
  removeFolder(dataDir);
  removeFolder(project);
});

type Answer = { status: string; value?: unknown; errorMessage?: string };

async function call(kind: "query" | "mutation", path: string, args: object, key: string | null = ADMIN_KEY): Promise<Answer> {
  const response = await fetch(`${deployment.url}/api/${kind}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key && { Authorization: `Convex ${key}` }) },
    body: JSON.stringify({ path: `_system/dashboard/${path}`, args: [args], format: "convex_encoded_json" }),
  });
  return response.json();
}

const documents = async (args: object): Promise<{ [field: string]: unknown }[]> => {
  const { value } = await call("query", "documents", { order: "asc", paginationOpts: { cursor: null, numItems: 10 }, ...args });
  if (typeof value !== "object" || value === null || !("page" in value) || !Array.isArray(value.page)) throw new Error("There is no page.");
  return value.page;
};

describe("the dashboard's functions", () => {
  it("are refused without the admin key", async () => {
    for (const [kind, path] of [
      ["query", "documents"],
      ["query", "schema"],
      ["mutation", "insert"],
      ["mutation", "uploadToken"],
    ] as const)
      expect(await call(kind, path, {}, null)).toMatchObject({
        status: "error",
        errorMessage: expect.stringContaining("needs the deployment's admin key"),
      });
  });

  it("insert all documents or none, and sort and filter them", async () => {
    const rows = [3, 1, 2].map((n) => ({ n, amount: 10 * n, version: 0 }));
    const rejected = await call("mutation", "insert", { table: "balances", documents: [...rows, { n: "4" }] });
    expect(rejected).toMatchObject({ status: "error", errorMessage: expect.stringContaining("does not match the schema") });
    expect(await documents({ table: "balances" })).toEqual([]);
    expect(await call("mutation", "insert", { table: "balances", documents: rows })).toMatchObject({ status: "success" });
    expect((await documents({ table: "balances", index: "by_n" })).map(({ n }) => n)).toEqual([1, 2, 3]);
    const filters = JSON.stringify([{ field: "amount", op: "gte", value: 20 }]);
    expect((await documents({ table: "balances", filters })).map(({ n }) => n)).toEqual([3, 2]);
    expect(await call("query", "documents", { table: "balances", filters: '[{"field":"n","op":"like"}]' })).toMatchObject({
      errorMessage: expect.stringContaining("The operator of a filter must be one of eq, neq, lt, lte, gt, gte."),
    });
  });

  it("replace a document only if it is the one that was seen", async () => {
    await call("mutation", "insert", { table: "counters", documents: [{ name: "one", value: 1 }] });
    const [before] = await documents({ table: "counters" });
    const replace = (document: object) => call("mutation", "replace", { id: before?.["_id"], document, before });
    expect(await replace({ name: "one", value: 2 })).toMatchObject({ status: "success" });
    expect(await replace({ name: "one", value: 3 })).toMatchObject({ errorMessage: expect.stringContaining("was changed meanwhile") });
    expect(await documents({ table: "counters" })).toMatchObject([{ value: 2 }]);
    expect(await call("mutation", "delete", { ids: [before?.["_id"]] })).toMatchObject({ status: "success" });
    expect(await replace({ name: "one", value: 4 })).toMatchObject({ errorMessage: expect.stringContaining("was deleted meanwhile") });
  });

  it("do not exist under other names", async () => {
    expect(await call("mutation", "toString", {})).toMatchObject({
      status: "error",
      errorMessage: expect.stringContaining("does not offer it"),
    });
  });

  it("are served without a page unless the dashboard is on", async () => {
    expect((await fetch(`${deployment.url}/dashboard`)).status).toBe(404);
  });
});
