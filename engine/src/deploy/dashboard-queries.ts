import type { FunctionRunner } from "../functions/types.ts";
import { isObject } from "../http/body.ts";
import { parseJson } from "../values/parse-json.ts";
import type { Json } from "../values/types.ts";
import { modulesOf } from "./component-response.ts";
import { pagination, textOf, type SystemQuery } from "./system-arguments.ts";

const OPERATORS = ["eq", "neq", "lt", "lte", "gt", "gte"];
const MAX_PAGE = 500;

export function dashboardQueries(runner: Pick<FunctionRunner, "crons" | "current" | "fileUrl" | "tablePage">): Record<string, SystemQuery> {
  return {
    /** `filters`: JSON text of `[{ field, op, value }]`, because values may be bytes or integers. */
    "_system/dashboard/documents": async ({ table, order, index = null, filters = "[]", paginationOpts }, component) => {
      const { cursor, numItems } = pagination(paginationOpts);
      const page = await runner.tablePage({
        component,
        table: textOf("table", table),
        order: order === "asc" ? "asc" : "desc",
        index: index === null ? null : textOf("index", index),
        filter: filterOf(textOf("filters", filters)),
        cursor,
        numItems: Math.min(numItems, MAX_PAGE),
      });
      return { ...page };
    },
    "_system/dashboard/schema": async (_args, component) =>
      modulesOf((await runner.current())?.analysis ?? null, component)?.schema ?? null,
    "_system/dashboard/fileUrl": ({ id }, component) => runner.fileUrl(textOf("id", id), component),
    "_system/dashboard/crons": async (_args, component) =>
      (await runner.crons())
        .filter((cron) => cron.component === component)
        .map(({ name, path, args, schedule, next }): Json => ({ name, path, args, schedule: { ...schedule }, next })),
  };
}

function filterOf(text: string): Json | null {
  const filters = parseJson(text);
  if (!Array.isArray(filters)) throw new Error("`filters` must be an array.");
  if (filters.length === 0) return null;
  return { $and: filters.map(comparison) };
}

function comparison(filter: Json): Json {
  const { field, op, value } = isObject(filter) ? filter : {};
  if (typeof op !== "string" || !OPERATORS.includes(op))
    throw new Error(`The operator of a filter must be one of ${OPERATORS.join(", ")}.`);
  return { [`$${op}`]: [{ $field: textOf("field", field) }, { $literal: value ?? null }] };
}
