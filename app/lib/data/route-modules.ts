import { useEffect, useSyncExternalStore } from "react";
import { createPath, type Navigation } from "react-router";
import { checkForNewBuild } from "./connection/new-build";

/** All modules are loaded ahead, as a failed import reloads the document (React Router 8.5); see docs/decisions/120-save-data.md. */
type Route = { id: string; parentId?: string; module: string; clientActionModule?: string; imports?: string[] };

declare global {
  interface Window {
    __reactRouterManifest?: { routes: Record<string, Route> };
    /** React Router's module cache; it imports only missing modules. */
    __reactRouterRouteModules?: Record<string, unknown>;
    __reactRouterDataRouter?: { state: { loaderData: Record<string, unknown>; navigation: Navigation } };
  }
}

const RETRY_MS = 10_000;

// Loads no modules ahead in development, where Vite would compile each of them.
let loaded = !import.meta.env.PROD;
let loading = false;
const listeners = new Set<() => void>();

export function useRouteModules(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => loaded,
    () => false,
  );
}

export function useLoadRouteModules(buildFile: string | undefined): void {
  useEffect(() => {
    if (loaded || loading || savesData()) return;
    loading = true;
    whenIdle(() => void load(buildFile));
  }, [buildFile]);
}

/** Loads the requested page when one of its modules is missing. React Router would reload the old page. */
export function useLoadRequestedPage(): void {
  useEffect(() => {
    if (!("navigation" in window)) return;
    const controller = new AbortController();
    window.navigation.addEventListener("navigate", loadRequestedPage, { signal: controller.signal });
    return () => controller.abort();
  }, []);
}

function loadRequestedPage(event: NavigateEvent): void {
  const requested = window.__reactRouterDataRouter?.state.navigation;
  if (event.navigationType !== "reload" || event.userInitiated || requested?.state !== "loading") return;
  event.preventDefault();
  location.assign(createPath(requested.location));
}

/** Returns whether the user saves data (https://wicg.github.io/savedata/). Firefox and Safari lack this attribute. */
const savesData = (): boolean => "connection" in navigator && Object(navigator.connection).saveData === true;

async function load(buildFile: string | undefined): Promise<void> {
  try {
    const routes = missingRoutes();
    // A failed import is never retried (https://github.com/whatwg/html/issues/6768). A fetch can be, and fills the HTTP cache.
    await Promise.all([...new Set(routes.flatMap(filesOf))].map(fetchFile));
    await Promise.all(routes.map(importRoute));
    loaded = true;
    for (const listener of listeners) listener();
  } catch {
    if (buildFile !== undefined) await checkForNewBuild(buildFile);
    setTimeout(() => void load(buildFile), RETRY_MS);
  }
}

const filesOf = ({ module, clientActionModule, imports = [] }: Route) => [
  module,
  ...(clientActionModule ? [clientActionModule] : []),
  ...imports,
];

async function fetchFile(href: string): Promise<void> {
  const response = await fetch(href, { priority: "low" });
  if (!response.ok) throw new Error(`${href}: ${response.status}`);
  await response.arrayBuffer();
}

async function importRoute({ id, module, clientActionModule }: Route): Promise<void> {
  const modules = window.__reactRouterRouteModules ?? {};
  const [routeModule] = await Promise.all(
    [module, ...(clientActionModule ? [clientActionModule] : [])].map((href) => import(/* @vite-ignore */ href)),
  );
  modules[id] ??= routeModule;
}

function missingRoutes(): Route[] {
  const routes = window.__reactRouterManifest?.routes ?? {};
  const modules = window.__reactRouterRouteModules ?? {};
  const layouts = new Set(["routes/outermost", ...Object.keys(modules).map((id) => layoutOf(id, routes))]);
  return Object.values(routes).filter(({ id }) => !(id in modules) && layouts.has(layoutOf(id, routes)));
}

function layoutOf(id: string, routes: Record<string, Route>): string {
  const parentId = routes[id]?.parentId;
  return parentId === undefined || parentId === "root" ? id : layoutOf(parentId, routes);
}

function whenIdle(act: () => void): void {
  const begin = () => ("requestIdleCallback" in window ? requestIdleCallback(act, { timeout: 2000 }) : setTimeout(act));
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
