/** Modules of a component are loaded once per mount, so that two mounts share neither state nor variables. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ComponentPath } from "../paths.ts";

const MOUNT = "mount";

export function passMountsOn(root: string): void {
  const prefix = `${pathToFileURL(root).href}/`;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const mount = context.parentURL?.startsWith(prefix) ? URL.parse(context.parentURL)?.search : "";
      return mount && resolved.url.startsWith(prefix) ? { ...resolved, url: resolved.url + mount } : resolved;
    },
  });
}

export async function importMounted(root: string, file: string, component: ComponentPath): Promise<Record<string, unknown>> {
  const url = pathToFileURL(join(root, file));
  if (component !== "") url.searchParams.set(MOUNT, component);
  const namespace: Record<string, unknown> = await import(url.href);
  return namespace;
}
