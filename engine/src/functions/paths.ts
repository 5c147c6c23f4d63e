/**
 * Names of functions. Clients say "projects:create", older ones and the command line "projects.js:create"; a module alone
 * means its default export (`src/server/api.ts` of the published client library).
 */

export type FunctionPath = { module: string /* without ".js" */; name: string };

/** Takes any of the spellings apart. Throws for one that cannot name a function. */
export function parseFunctionPath(path: string): FunctionPath {
  const colon = path.indexOf(":");
  const module = colon === -1 ? path : path.slice(0, colon);
  const name = colon === -1 ? "default" : path.slice(colon + 1);
  const stem = module.endsWith(".js") ? module.slice(0, -3) : module;
  if (stem === "" || name === "") throw new Error(`Invalid function path ${JSON.stringify(path)}: expected "module:function".`);
  return { module: stem, name };
}

/** "projects:create": as clients and logs show it. */
export const showFunctionPath = ({ module, name }: FunctionPath): string => `${module}:${name}`;

/** The same for a name as somebody wrote it, which need not be one of a function. */
export function shownPath(path: string): string {
  try {
    return showFunctionPath(parseFunctionPath(path));
  } catch {
    return path;
  }
}

/** "projects.js:create": as `_scheduled_functions` rows and Convex's type errors show it. */
export const canonicalFunctionPath = ({ module, name }: FunctionPath): string => `${module}.js:${name}`;

const HANDLE = "function://";

/** A function handle is a string that travels as data and names a function of this deployment (`createFunctionHandle`). */
export const functionHandle = (path: FunctionPath): string => `${HANDLE};${canonicalFunctionPath(path)}`;

/**
 * What the syscalls call an address: exactly one of a name, a handle, or a reference into a component
 * (`getFunctionAddress` in `src/server/components/paths.ts`).
 */
export type FunctionAddress = { name?: string; functionHandle?: string; reference?: string };

/** The function that an address names. Components are not offered, and the error says so. */
export function resolveAddress(address: FunctionAddress): FunctionPath {
  if (address.name !== undefined) return parseFunctionPath(address.name);
  if (address.functionHandle !== undefined) {
    const [component, path] = address.functionHandle.slice(HANDLE.length).split(";");
    if (address.functionHandle.startsWith(HANDLE) && component === "" && path !== undefined) return parseFunctionPath(path);
    throw new Error(`Invalid function handle ${JSON.stringify(address.functionHandle)}.`);
  }
  throw new Error(`Components are not offered by this deployment: ${JSON.stringify(address.reference ?? null)} cannot be called.`);
}
