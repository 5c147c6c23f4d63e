/** The command line's queries below `_system/` (`convex/src/cli/lib/{data,env,functionSpec}.ts`), for administrators only. */
import { jsonToConvex } from "convex/values";
import { APP, type ComponentPath } from "../functions/paths.ts";
import type { Analysis, Call, FunctionRunner, Outcome } from "../functions/types.ts";
import { isObject } from "../http/body.ts";
import type { Exports } from "../snapshots/exports.ts";
import type { Imports } from "../snapshots/imports.ts";
import type { Json } from "../values/types.ts";
import { moduleFile, modulesOf } from "./component-response.ts";
import { dashboardQueries } from "./dashboard-queries.ts";
import { pagination, textOf, type Arguments, type SystemQuery } from "./system-arguments.ts";

type SystemQueryOptions = {
  runner: FunctionRunner;
  urls: { url: string; siteUrl: string };
  exports: Pick<Exports, "latest">;
  imports: Pick<Imports, "find" | "list">;
};

export function createSystemQueries({ runner, urls, exports, imports }: SystemQueryOptions): (call: Call) => Promise<Outcome> {
  const queries: Record<string, SystemQuery> = {
    "_system/cli/tables": async (_args, component) => ({
      page: (await runner.tables(component)).map((name) => ({ name })),
      isDone: true,
      continueCursor: "",
    }),
    "_system/cli/tableData": async ({ table, order, paginationOpts }, component) => {
      const { cursor, numItems } = pagination(paginationOpts);
      const page = await runner.tablePage({
        component,
        table: textOf("table", table),
        order: order === "asc" ? "asc" : "desc",
        cursor,
        numItems,
      });
      return { ...page };
    },
    "_system/cli/tableSize": async ({ tableName }, component) => runner.tableSize(textOf("tableName", tableName), component),
    // When this changes, `convex dev` repeats a push that the stored data did not match.
    "_system/cli/queryTable": async () => runner.latest().toString(),
    "_system/cli/queryEnvironmentVariables": async () => environment(await runner.environment.list()),
    "_system/cli/queryEnvironmentVariables:get": async ({ name }) =>
      environment(await runner.environment.list()).find((entry) => entry.name === name) ?? null,
    "_system/cli/modules:apiSpec": async (_args, component) => apiSpec((await runner.current())?.analysis ?? null, component),
    "_system/frontend/components:list": async () =>
      ((await runner.current())?.analysis.components.mounts ?? []).map(({ path }) => ({
        id: path,
        path,
        name: path.split("/").at(-1) ?? "",
      })),
    "_system/cli/exports:getLatest": async () => exports.latest(),
    "_system/cli/queryImport": async ({ importId }) => imports.find(textOf("importId", importId)),
    "_system/cli/queryImport:list": async () => imports.list(),
    "_system/cli/convexUrl:cloudUrl": async () => urls.url,
    "_system/cli/convexUrl:siteUrl": async () => urls.siteUrl,
    ...dashboardQueries(runner),
  };

  return async ({ path, component = APP, args, identity }) => {
    if (identity.kind !== "admin") return failed(`${path} needs the deployment's admin key.`);
    const query = queries[path.replace(/:default$/, "").replace(/\.js(?=:|$)/, "")];
    if (!query) return failed(`Could not find public function for '${path}'. This deployment does not offer it.`);
    try {
      return { ok: true, value: await query(decodeNumbers(args), component), logLines: [] };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  };
}

const failed = (message: string): Outcome => ({ ok: false, message, logLines: [] });

const environment = (variables: Record<string, string>) => Object.entries(variables).map(([name, value]) => ({ name, value }));

function apiSpec(analysis: Analysis | null, component: ComponentPath): Json {
  const modules = modulesOf(analysis, component);
  if (!modules) return [];
  const types = { query: "Query", mutation: "Mutation", action: "Action" } as const;
  const functions = modules.functions.flatMap(({ module, name, type, visibility, args, returns }): Json[] =>
    type === "httpAction"
      ? []
      : [{ functionType: types[type], identifier: `${moduleFile(module)}:${name}`, visibility: { kind: visibility }, args, returns }],
  );
  return [...functions, ...modules.httpRoutes.map(({ path, method }): Json => ({ functionType: "HttpAction", path, method }))];
}

function decodeNumbers(args: Json): Arguments {
  const value: unknown = jsonToConvex(args);
  const parsed: Json = JSON.parse(JSON.stringify(value));
  return isObject(parsed) ? parsed : {};
}
