import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FunctionKind, Json } from "../values/types.ts";
import { PlainError } from "./failures.ts";
import { canonicalFunctionPath, parseFunctionPath, showFunctionPath, type FunctionPath } from "./paths.ts";
import type { LoadedCode } from "./transactor/transactor-protocol.ts";

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

export class Registry {
  readonly #functions: Map<string, KnownFunction>;
  readonly #modules: Map<string, object>;
  readonly root: string | null;
  readonly #loadError: string | null;

  private constructor(
    root: string | null,
    functions: Map<string, KnownFunction>,
    modules: Map<string, object>,
    loadError: string | null = null,
  ) {
    this.root = root;
    this.#loadError = loadError;
    this.#functions = functions;
    this.#modules = modules;
  }

  static empty(): Registry {
    return new Registry(null, new Map(), new Map());
  }

  static broken(root: string, loadError: string): Registry {
    return new Registry(root, new Map(), new Map(), loadError);
  }

  static async load(code: LoadedCode): Promise<Registry> {
    const modules = new Map<string, object>();
    await Promise.all(
      code.modules.map(async (path) => {
        const namespace: object = await import(pathToFileURL(join(code.root, path)).href);
        modules.set(path.replace(/\.js$/, ""), namespace);
      }),
    );
    const functions = new Map<string, KnownFunction>();
    for (const described of code.analysis.functions) {
      if (described.type === "httpAction") continue;
      const path = parseFunctionPath(`${described.module}:${described.name}`);
      const invoke = invoker(registeredIn(modules.get(path.module), path.name), path);
      const { args, returns, type, visibility } = described;
      functions.set(showFunctionPath(path), { path, kind: type, isPublic: visibility === "public", args, returns, invoke });
    }
    return new Registry(code.root, functions, modules);
  }

  module(path: string): object | undefined {
    return this.#modules.get(path);
  }

  lookUp(path: FunctionPath, visibility: "public" | "any"): KnownFunction | undefined {
    const found = this.#functions.get(showFunctionPath(path));
    return found && (visibility === "any" || found.isPublic) ? found : undefined;
  }

  /** @throws PlainError, the same for missing and internal functions */
  find(path: FunctionPath, kind: FunctionKind, visibility: "public" | "any"): KnownFunction {
    if (this.#loadError !== null) throw new PlainError(`The code of this deployment cannot be loaded: ${this.#loadError}`);
    const found = this.lookUp(path, visibility);
    if (!found) throw notFound(path, visibility);
    if (found.kind !== kind) {
      throw new PlainError(
        `Trying to execute ${canonicalFunctionPath(path)} as ${capital(kind)}, but it is defined as ${capital(found.kind)}.`,
      );
    }
    return found;
  }
}

export function notFound(path: FunctionPath, visibility: "public" | "any"): PlainError {
  const kindText = visibility === "public" ? "public function" : "function";
  return new PlainError(
    `Could not find ${kindText} for '${showFunctionPath(path)}'. Did you forget to run \`npx convex dev\` or \`npx convex deploy\`?`,
  );
}

export function requestedPath({ path, visibility }: { path: string; visibility: "public" | "any" }): FunctionPath {
  try {
    return parseFunctionPath(path);
  } catch {
    throw notFound({ module: path, name: "default" }, visibility);
  }
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
