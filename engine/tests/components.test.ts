import { BaseConvexClient, ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleSources } from "../src/functions/bundles/bundle-fixture.ts";
import { app, components, source } from "../src/functions/components/component-fixture.ts";
import { startDeployment, type Deployment } from "../src/deployment.ts";
import { pushBundle } from "./deployed.ts";
import { ADMIN_KEY, removeFolder, temporaryFolder } from "./harness.ts";

type InternalClient = {
  setAdminAuth(key: string): void;
  subscribe(name: string, args: object, options: { componentPath: string }): { queryToken: string };
  localQueryResultByToken(token: string): unknown;
  close(): Promise<void>;
};

let dataDir: string;
let deployment: Deployment;
let pushed: Awaited<ReturnType<typeof pushBundle>>;

beforeAll(async () => {
  dataDir = temporaryFolder("components");
  deployment = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
  pushed = await pushBundle(deployment, await bundleSources(app, components));
});
afterAll(async () => {
  await deployment.close();
  removeFolder(dataDir);
});

test("a push describes definitions, mounts and what changed", async () => {
  const { startPush, finishPush } = pushed;
  expect(startPush["app"]).toMatchObject({
    componentPath: "",
    childComponents: {
      first: { componentPath: "first", definitionPath: "notes" },
      second: { componentPath: "second", definitionPath: "notes" },
      outer: { componentPath: "outer", childComponents: { notes: { componentPath: "outer/notes", definitionPath: "later/notes" } } },
    },
  });
  expect(startPush["analysis"]).toMatchObject({
    "": { definition: { definitionType: { type: "app" }, httpMounts: { "/first/": "_reference/childComponent/first" } } },
    notes: { definition: { definitionType: { type: "childComponent", name: "notes" } }, schema: { schemaValidation: true } },
    "later/notes": {
      definition: {
        exports: {
          branch: [
            [
              "notes",
              {
                branch: [
                  ["add", { type: "leaf", leaf: "_reference/function/notes:add" }],
                  ["all", { type: "leaf", leaf: "_reference/function/notes:all" }],
                ],
              },
            ],
          ],
        },
      },
    },
  });
  expect(finishPush["componentDiffs"]).toMatchObject({
    "": { diffType: { type: "modify" } },
    first: { diffType: { type: "create" }, cronDiff: { added: ["tick"] } },
    "outer/notes": { diffType: { type: "create" } },
  });
  const { "convex.config.ts": _, ...withoutComponents } = app;
  const unmounting = await pushBundle(deployment, await bundleSources(withoutComponents));
  expect(unmounting.finishPush["componentDiffs"]).toMatchObject({ first: { diffType: { type: "unmount" } } });
  const again = await pushBundle(deployment, await bundleSources(app, components));
  expect(again.finishPush["componentDiffs"]).toMatchObject({ first: { diffType: { type: "remount" } } });
});

test('a push with "use node" in a component or in http.ts is refused', async () => {
  const file = '"use node"; export const one = 1;';
  const { notes } = components;
  const inComponent = await bundleSources(app, { ...components, notes: { files: { ...notes?.files, "hashes.ts": file } } });
  await expect(pushBundle(deployment, inComponent)).rejects.toThrow(/Components cannot have \\"use node\\" modules: notes\/hashes\.js/);
  const inRoutes = await bundleSources({ "http.ts": file });
  await expect(pushBundle(deployment, inRoutes)).rejects.toThrow(/\\"use node\\" directive is not allowed for http\.js/);
});

test("a push that does not fit a component's data names the component and the table", async () => {
  const http = new ConvexHttpClient(deployment.url, { logger: false });
  await http.mutation(makeFunctionReference<"mutation">("app:write"), { mount: "second", name: "add", args: { text: "text" } });
  const { notes } = components;
  const schema = source("export default defineSchema({ notes: defineTable({ text: v.number() }) });");
  const bundle = await bundleSources(app, { ...components, notes: { files: { ...notes?.files, "schema.ts": schema } } });
  await expect(pushBundle(deployment, bundle)).rejects.toThrow(/"type":"failed".*"componentPath":"(?:first|second)","tableName":"notes"/);
});

test("a live query over a websocket follows the tables of a component", async () => {
  const client = new ConvexClient(deployment.url);
  const call = { mount: "first", name: "texts", args: {} };
  const results: string[][] = [];
  client.onUpdate(makeFunctionReference<"query">("app:read"), call, (texts) => void results.push(texts));
  await expect.poll(() => results.length).toBe(1);
  const http = new ConvexHttpClient(deployment.url, { logger: false });
  await http.mutation(makeFunctionReference<"mutation">("app:write"), { mount: "first", name: "add", args: { text: "live" } });
  await expect.poll(() => results.at(-1)).toContain("live");
  await client.close();
});

test("only administrators reach a component over a websocket", async () => {
  const changes: string[] = [];
  const open = () =>
    new BaseConvexClient(deployment.url, (updated) => void changes.push(...updated), { logger: false }) as unknown as InternalClient;
  const client = open();
  const refused = client.subscribe("notes:texts", {}, { componentPath: "first" });
  await expect.poll(() => changes).toContain(refused.queryToken);
  expect(() => client.localQueryResultByToken(refused.queryToken)).toThrow("clients cannot call functions of components");
  await client.close();
  changes.length = 0;
  const administrator = open();
  administrator.setAdminAuth(ADMIN_KEY);
  const allowed = administrator.subscribe("notes:texts", {}, { componentPath: "first" });
  await expect.poll(() => changes).toContain(allowed.queryToken);
  expect(administrator.localQueryResultByToken(allowed.queryToken)).toContain("live");
  await administrator.close();
});
