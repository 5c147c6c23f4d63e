import type { ComponentPath } from "../paths.ts";
import type { LoadInComponent } from "../registry.ts";
import type { LoadedCode } from "../transactor/transactor-protocol.ts";
import { componentEnvironments, type Environment } from "./environments.ts";
import { passMountsOn } from "./mount-imports.ts";
import { ProcessEnvironments } from "./process-env.ts";

export function separateComponents(
  { root, components, analysis }: LoadedCode,
  environment: Environment,
  componentOfCaller: () => ComponentPath | undefined,
): LoadInComponent | undefined {
  if (components.length === 0) return undefined;
  passMountsOn(root);
  const environments = new ProcessEnvironments(componentEnvironments(analysis.components, environment), componentOfCaller);
  return (component, load) => environments.load(component, load);
}
