/** "projects:create", or "projects.js:create" from older clients and the command line (`src/server/api.ts`). */

export type FunctionPath = { module: string /* without ".js" */; name: string };

export const MAX_FUNCTION_PATH_LENGTH = 1_024;

export function parseFunctionPath(path: string): FunctionPath {
  const colon = path.indexOf(":");
  const module = colon === -1 ? path : path.slice(0, colon);
  const name = colon === -1 ? "default" : path.slice(colon + 1);
  const stem = module.endsWith(".js") ? module.slice(0, -3) : module;
  if (stem === "" || name === "") throw new Error(`Invalid function path ${JSON.stringify(path)}: expected "module:function".`);
  return { module: stem, name };
}

export const showFunctionPath = ({ module, name }: FunctionPath): string => `${module}:${name}`;

export function shownPath(path: string): string {
  try {
    return showFunctionPath(parseFunctionPath(path));
  } catch {
    return path;
  }
}

export const canonicalFunctionPath = ({ module, name }: FunctionPath): string => `${module}.js:${name}`;

const HANDLE = "function://";

export const functionHandle = (path: FunctionPath): string => `${HANDLE};${canonicalFunctionPath(path)}`;

/** Exactly one field is set (`getFunctionAddress` in `src/server/components/paths.ts`). */
export type FunctionAddress = { name?: string; functionHandle?: string; reference?: string };

export function resolveAddress(address: FunctionAddress): FunctionPath {
  if (address.name !== undefined) return parseFunctionPath(address.name);
  if (address.functionHandle !== undefined) {
    const [component, path] = address.functionHandle.slice(HANDLE.length).split(";");
    if (address.functionHandle.startsWith(HANDLE) && component === "" && path !== undefined) return parseFunctionPath(path);
    throw new Error(`Invalid function handle ${JSON.stringify(address.functionHandle)}.`);
  }
  throw new Error(`Components are not offered by this deployment: ${JSON.stringify(address.reference ?? null)} cannot be called.`);
}
