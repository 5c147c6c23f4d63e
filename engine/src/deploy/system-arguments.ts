import type { ComponentPath } from "../functions/paths.ts";
import { isObject } from "../http/body.ts";
import type { Json } from "../values/types.ts";

export type Arguments = { [key: string]: Json };
export type SystemQuery = (args: Arguments, component: ComponentPath) => Promise<Json>;

const MAX_PAGE = 10_000;

export function textOf(name: string, value: Json | undefined): string {
  if (typeof value !== "string") throw new Error(`\`${name}\` must be a string.`);
  return value;
}

export function pagination(options: Json | undefined): { cursor: string | null; numItems: number } {
  const { cursor = null, numItems = 100 } = isObject(options) ? options : {};
  return {
    cursor: typeof cursor === "string" ? cursor : null,
    numItems: Math.min(typeof numItems === "number" ? numItems : 100, MAX_PAGE),
  };
}
