/** "projects:create", or "projects.js:create" from older clients and the command line (`src/server/api.ts`). */
import type { Visibility } from "./types.ts";

/** The names of mounted components from the app inwards, joined by "/"; "" is the app. */
export type ComponentPath = string;

export const APP: ComponentPath = "";

/** The command line's name for the app (`convex/src/cli/run.ts`). */
const APP_NAME = "_App";

export const requestedComponent = (path: string): ComponentPath => (path === APP_NAME ? APP : path);

export type FunctionPath = { component: ComponentPath; module: string /* without ".js" */; name: string };

export const MAX_FUNCTION_PATH_LENGTH = 1_024;

export function parseFunctionPath(path: string, component: ComponentPath = APP): FunctionPath {
  const colon = path.indexOf(":");
  const module = colon === -1 ? path : path.slice(0, colon);
  const name = colon === -1 ? "default" : path.slice(colon + 1);
  const stem = module.endsWith(".js") ? module.slice(0, -3) : module;
  if (stem === "" || name === "") throw new Error(`Invalid function path ${JSON.stringify(path)}: expected "module:function".`);
  return { component, module: stem, name };
}

export const showFunctionPath = ({ module, name }: Pick<FunctionPath, "module" | "name">): string => `${module}:${name}`;

/** Returns the path in the whole deployment: "limiter/windows:take" in the component `limiter`. */
export const qualifiedPath = (path: string, component: ComponentPath = APP): string => nameIn(component, shownPath(path));

export const nameIn = (component: ComponentPath, name: string): string => (component === APP ? name : `${component}/${name}`);

export function shownPath(path: string): string {
  try {
    return showFunctionPath(parseFunctionPath(path));
  } catch {
    return path;
  }
}

export const canonicalFunctionPath = ({ module, name }: FunctionPath): string => `${module}.js:${name}`;

const HANDLE = "function://";

export const functionHandle = (path: FunctionPath): string => `${HANDLE}${path.component};${canonicalFunctionPath(path)}`;

export const isFunctionHandle = (text: string): boolean => text.startsWith(HANDLE);

/** @throws Error unless `functionHandle` returned the text */
export function parseFunctionHandle(handle: string): FunctionPath {
  const [component, path] = isFunctionHandle(handle) ? handle.slice(HANDLE.length).split(";") : [];
  if (component !== undefined && path !== undefined) return parseFunctionPath(path, component);
  throw new Error(`Invalid function handle ${JSON.stringify(handle)}: expected a value that createFunctionHandle returned.`);
}

/** Exactly one field is set (`getFunctionAddress` in `src/server/components/paths.ts`). */
export type FunctionAddress = { name?: string; functionHandle?: string; reference?: string };

export type Callee = { path: FunctionPath; visibility: Exclude<Visibility, "public"> };

export function resolveAddress({ name, functionHandle: handle, reference }: FunctionAddress, from: ComponentPath): Callee {
  if (name !== undefined) return { path: parseFunctionPath(name, from), visibility: "any" };
  if (handle !== undefined) return { path: parseFunctionHandle(handle), visibility: "any" };
  return { path: resolveReference(reference ?? "", from), visibility: "exported" };
}

const CHILD = "_reference/childComponent/";

/** `components.limiter.windows.take` is "_reference/childComponent/limiter/windows/take" (`src/server/components/index.ts`). */
function resolveReference(reference: string, from: ComponentPath): FunctionPath {
  const [child = "", ...path] = reference.startsWith(CHILD) ? reference.slice(CHILD.length).split("/") : [];
  const name = path.pop();
  if (child === "" || name === undefined || path.length === 0)
    throw new Error(`Invalid reference ${JSON.stringify(reference)}: expected components.<component>.<module>.<function>.`);
  return { component: childPath(from, child), module: path.join("/"), name };
}

export const childPath = (parent: ComponentPath, name: string): ComponentPath => nameIn(parent, name);
