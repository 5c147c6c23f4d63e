import { resolveAddress, showFunctionPath, type ComponentPath, type FunctionAddress, type FunctionPath } from "./paths.ts";
import type { Registry } from "./registry.ts";

/** Returns the function that a function of the component `from` schedules. @throws Error for a missing function or a query */
export function schedulable(address: FunctionAddress, from: ComponentPath, registry: Registry): FunctionPath {
  const { path, visibility } = resolveAddress(address, from);
  const target = registry.lookUp(path, visibility);
  if (!target) {
    const reason = path.component === "" ? showFunctionPath(path) : registry.notFound(path, visibility).message;
    throw new Error(`Attempted to schedule function at nonexistent path: ${reason}`);
  }
  if (target.kind === "query") throw new Error(`Queries cannot be scheduled: ${showFunctionPath(path)} is one.`);
  return path;
}
