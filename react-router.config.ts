import type { Config } from "@react-router/dev/config";

/** The app is rendered on the server; `server/` serves the build and owns everything around it. */
export default {
  appDirectory: "app",
  buildDirectory: "build",
  ssr: true,
  // A route's clientAction must not wait for its component's chunk, nor the first paint for either.
  splitRouteModules: true,
  // All routes are known from the start: a link must not need the server to find its route (app/lib/data/route-modules.ts).
  routeDiscovery: { mode: "initial" },
  // In development: every route's dependencies are found at once. Found one by one, the first page of a fresh checkout would not come alive.
  future: { unstable_optimizeDeps: true },
  // React Router's own check of origins leaves out resource routes and Fetch-Metadata, and answers 400. Ours stands at the root, before every
  // action and resource (app/lib/http/middleware/same-origin.server.ts), and answers 403.
  allowedActionOrigins: ["**"],
} satisfies Config;
