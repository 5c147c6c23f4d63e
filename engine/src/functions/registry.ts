import { join } from "node:path";
import type { FunctionKind, Json } from "../values/types.ts";
import type { InlineQuery } from "./bundles/inline-query.ts";
import { importMounted } from "./components/mount-imports.ts";
import { PlainError } from "./failures.ts";
import { APP, canonicalFunctionPath, parseFunctionPath, showFunctionPath, type ComponentPath, type FunctionPath } from "./paths.ts";
import type { LoadedCode, LoadedComponent, RequestedFunction } from "./transactor/transactor-protocol.ts";
import type { ModulesAnalysis, Visibility } from "./types.ts";

/** Properties that the client library adds to functions (`src/server/impl/registration_impl.ts`). */
type Registered = {
  isQuery?: true;
  isMutation?: true;
  isAction?: true;
  invokeQuery?: (args: string) => Promise<string>;
  invokeMutation?: (args: string) => Promise<string>;
  invokeAction?: (requestId: string, args: string) => Promise<string>;
};

export type KnownFunction = {
  path: FunctionPath;
  kind: FunctionKind;
  isPublic: boolean;
  args: Json | null;
  returns: Json | null;
  invoke: (args: string, requestId: string) => Promise<string>;
};

type LoadedModules = { functions: Map<string, KnownFunction>; modules: Map<string, object> };

export type LoadInComponent = <T>(component: ComponentPath, load: () => Promise<T>) => Promise<T>;

export class Registry {
  readonly #components: Map<ComponentPath, LoadedModules>;
  readonly root: string | null;
  readonly #loadError: string | null;

  private constructor(root: string | null, components: Map<ComponentPath, LoadedModules>, loadError: string | null = null) {
    this.root = root;
    this.#loadError = loadError;
    this.#components = components;
  }

  static empty(): Registry {
    return new Registry(null, new Map());
  }

  static broken(root: string, loadError: string): Registry {
    return new Registry(root, new Map(), loadError);
  }

  static async load(code: LoadedCode, loadIn: LoadInComponent = (_component, load) => load()): Promise<Registry> {
    const { root, analysis } = code;
    const app = { path: APP, folder: "", modules: code.modules };
    const components = new Map([[APP, await loadModules(root, app, analysis)]]);
    for (const component of code.components) {
      const analyzed = analysis.components.definitions[component.definition];
      if (!analyzed) continue;
      components.set(component.path, await loadIn(component.path, () => loadModules(root, component, analyzed)));
    }
    return new Registry(root, components);
  }

  static async loadInline({ root, module, analysis }: InlineQuery, component: ComponentPath): Promise<Registry> {
    const modules = await loadModules(root, { path: component, folder: "", modules: [module] }, analysis);
    return new Registry(root, new Map([[component, modules]]));
  }

  module(path: string, component: ComponentPath): object | undefined {
    return this.#components.get(component)?.modules.get(path);
  }

  lookUp(path: FunctionPath, visibility: Visibility): KnownFunction | undefined {
    const found = this.#components.get(path.component)?.functions.get(showFunctionPath(path));
    return found && isVisible(found, visibility) ? found : undefined;
  }

  /** @throws PlainError, the same for missing and internal functions */
  find(path: FunctionPath, kind: FunctionKind, visibility: Visibility): KnownFunction {
    if (this.#loadError !== null) throw new PlainError(`The code of this deployment cannot be loaded: ${this.#loadError}`);
    const found = this.lookUp(path, visibility);
    if (!found) throw this.notFound(path, visibility);
    if (found.kind !== kind) {
      throw new PlainError(
        `Trying to execute ${canonicalFunctionPath(path)}${inComponent(path)} as ${capital(kind)}, but it is defined as ${capital(found.kind)}.`,
      );
    }
    return found;
  }

  notFound(path: FunctionPath, visibility: Visibility): PlainError {
    if (path.component === APP) return notFound(path, visibility);
    if (visibility === "public") {
      return new PlainError(
        `Could not find public function for '${showFunctionPath(path)}'${inComponent(path)}: clients cannot call functions of components. Call it from a function of the app.`,
      );
    }
    const component = this.#components.get(path.component);
    if (!component) {
      const mounted = [...this.#components.keys()].filter((known) => known !== APP);
      return new PlainError(
        `There is no component "${path.component}". ${mounted.length === 0 ? "No component is mounted" : `Mounted components: ${listed(mounted)}`}. Mount it with app.use(…) in convex.config.ts.`,
      );
    }
    const known = [...component.functions].flatMap(([name, found]) => (isVisible(found, visibility) ? [name] : []));
    return new PlainError(
      `Could not find ${visibility === "exported" ? "public function" : "function"} for '${showFunctionPath(path)}'${inComponent(path)}. Its functions: ${listed(known)}.`,
    );
  }
}

const MAX_LISTED = 20;

function listed(names: string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(", ");
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown || "none";
}

function isVisible({ path, isPublic }: KnownFunction, visibility: Visibility): boolean {
  if (visibility === "any") return true;
  return isPublic && (visibility === "exported" || path.component === APP);
}

const inComponent = ({ component }: FunctionPath): string => (component === APP ? "" : ` in the component "${component}"`);

function notFound(path: FunctionPath, visibility: Visibility): PlainError {
  const kindText = visibility === "public" ? "public function" : "function";
  return new PlainError(
    `Could not find ${kindText} for '${showFunctionPath(path)}'. Did you forget to run \`npx convex dev\` or \`npx convex deploy\`?`,
  );
}

export function requestedPath({ path, component = APP, visibility }: RequestedFunction): FunctionPath {
  try {
    return parseFunctionPath(path, component);
  } catch {
    throw notFound({ component: APP, module: path, name: "default" }, visibility);
  }
}

async function loadModules(
  root: string,
  { path: component, folder, modules: paths }: Pick<LoadedComponent, "path" | "folder" | "modules">,
  analysis: ModulesAnalysis,
): Promise<LoadedModules> {
  const modules = new Map<string, object>();
  await Promise.all(
    paths.map(async (path) => {
      modules.set(path.replace(/\.js$/, ""), await importMounted(root, join(folder, path), component));
    }),
  );
  const functions = new Map<string, KnownFunction>();
  for (const described of analysis.functions) {
    if (described.type === "httpAction") continue;
    const path = parseFunctionPath(`${described.module}:${described.name}`, component);
    const invoke = invoker(registeredIn(modules.get(path.module), path.name), path);
    const { args, returns, type, visibility } = described;
    functions.set(showFunctionPath(path), { path, kind: type, isPublic: visibility === "public", args, returns, invoke });
  }
  return { functions, modules };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function registeredIn(namespace: object | undefined, name: string): Registered | undefined {
  if (!namespace) return undefined;
  const value: unknown = Reflect.get(namespace, name);
  return isRegistered(value) ? value : undefined;
}

function isRegistered(value: unknown): value is Registered {
  if (typeof value !== "function") return false;
  return "invokeQuery" in value || "invokeMutation" in value || "invokeAction" in value;
}

function invoker(registered: Registered | undefined, path: FunctionPath): KnownFunction["invoke"] {
  const { invokeQuery, invokeMutation, invokeAction } = registered ?? {};
  if (invokeQuery) return (args) => invokeQuery(args);
  if (invokeMutation) return (args) => invokeMutation(args);
  if (invokeAction) return (args, requestId) => invokeAction(requestId, args);
  return () => Promise.reject(new PlainError(`${showFunctionPath(path)} is not loaded on this thread.`));
}
