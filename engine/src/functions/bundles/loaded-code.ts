import type { LoadedCode } from "../transactor/transactor-protocol.ts";

/** Returns the code without the modules of "use node" files. Their functions stay known. */
export function isolateCode(code: LoadedCode): LoadedCode {
  const node = new Set(code.nodeModules);
  return { ...code, modules: code.modules.filter((path) => !node.has(path)) };
}

export const nodeCode = (code: LoadedCode): LoadedCode => ({
  ...code,
  modules: code.nodeModules,
  components: code.components.map((component) => ({ ...component, modules: [] })),
});
