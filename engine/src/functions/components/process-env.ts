import { APP, type ComponentPath } from "../paths.ts";
import type { Environment } from "./environments.ts";

export class ProcessEnvironments {
  readonly #environments: ReadonlyMap<ComponentPath, Environment>;
  #loading: ComponentPath = APP;

  constructor(environments: ReadonlyMap<ComponentPath, Environment>, componentOfCaller: () => ComponentPath | undefined) {
    this.#environments = environments;
    const target: { env?: unknown } = globalThis.process;
    Object.defineProperty(target, "env", {
      get: () => this.#environments.get(componentOfCaller() ?? this.#loading) ?? {},
      configurable: true,
      enumerable: true,
    });
  }

  /** Loads modules of one component. Await each call before the next one. */
  async load<T>(component: ComponentPath, load: () => Promise<T>): Promise<T> {
    this.#loading = component;
    try {
      return await load();
    } finally {
      this.#loading = APP;
    }
  }
}
