/** A component sees only the variables that its definition declares, with the values that its parent passes. */
import { findFault } from "../../values/validators.ts";
import { parseValidator } from "../../values/validator-json.ts";
import { APP, type ComponentPath } from "../paths.ts";
import type { Components } from "../types.ts";
import type { ComponentDefinition } from "./definitions.ts";

export type Environment = Record<string, string>;

/** Set for every component (`convex/src/cli/codegen_templates/server.ts`). */
const BUILT_IN = ["CONVEX_CLOUD_URL", "CONVEX_SITE_URL"];

/** @throws Error for a variable that is missing, undeclared or does not match its validator */
export function componentEnvironments(
  { app, definitions, mounts }: Pick<Components, "app" | "mounts"> & { definitions: Record<string, ComponentDefinition> },
  environment: Environment,
): Map<ComponentPath, Environment> {
  const environments = new Map([[APP, environment]]);
  checkEnvironment("The app", app, environment);
  const builtIn = Object.entries(environment).filter(([name]) => BUILT_IN.includes(name));
  for (const { path, definition: definitionPath, env } of mounts) {
    const definition = definitions[definitionPath];
    const parent = environments.get(path.slice(0, Math.max(0, path.lastIndexOf("/")))) ?? {};
    const values = new Map(builtIn);
    for (const [name, binding] of Object.entries(env)) {
      if (!definition || !Object.hasOwn(definition.env, name))
        throw new Error(`The component "${path}" gets the environment variable ${name}, which its defineComponent() does not declare.`);
      const value = binding.type === "value" ? binding.value : parent[binding.name];
      if (value !== undefined) values.set(name, value);
    }
    const own = Object.fromEntries(values);
    if (definition) checkEnvironment(`The component "${path}"`, definition, own);
    environments.set(path, own);
  }
  return environments;
}

function checkEnvironment(who: string, { env }: ComponentDefinition, environment: Environment): void {
  for (const [name, { validator, optional }] of Object.entries(env)) {
    const value = environment[name];
    if (value === undefined) {
      if (optional) continue;
      throw new Error(`${who} requires the environment variable ${name}, which is not set.`);
    }
    const fault = findFault(parseValidator(validator), value, { tableOf: () => null });
    if (fault !== null) throw new Error(`${who} has an environment variable ${name} that does not match its declaration: ${fault}`);
  }
}
