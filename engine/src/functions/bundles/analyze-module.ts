import { describeFailure } from "../failures.ts";
import type { AnalyzedFunction } from "../types.ts";
import type { Exports } from "./read-modules.ts";

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** @throws {Error} with Convex's text, unless all functions of a module of a "use node" file are actions */
export function requireActions(path: string, exports: Exports, functions: AnalyzedFunction[]): void {
  const other = functions.find(({ type }) => type !== "action");
  if (other) throw notAnAction(other.name, path, capital(other.type));
  const httpAction = Object.entries(exports).find(([, value]) => typeof value === "function" && Reflect.get(value, "isHttp") === true);
  if (httpAction) throw notAnAction(httpAction[0], path, "HttpAction");
}

const notAnAction = (name: string, path: string, type: string): Error =>
  new Error(`\`${name}\` defined in \`${path}\` is a ${type} function. Only actions can be defined in Node.js.`);

/** Runs `work` on a module. @throws {Error} that names the module */
export async function withModuleName<T>(root: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`Failed to analyze ${path}: ${describeFailure(error, root).message}`, { cause: error });
  }
}
