import type { Config } from "@react-router/dev/config";

/** The app renders on the server. `server/` serves the build. */
export default {
  appDirectory: "app",
  buildDirectory: "build",
  ssr: true,
  // A clientAction does not wait for its component's chunk, nor the first paint for either.
  splitRouteModules: true,
  // Links find their route without the server (app/lib/data/route-modules.ts).
  routeDiscovery: { mode: "initial" },
  // In development, Vite finds all dependencies at once. Otherwise the first page of a new clone reloads before it hydrates.
  future: { unstable_optimizeDeps: true },
  // React Router's check omits resource routes and Fetch Metadata, and answers 400.
  // app/lib/http/middleware/same-origin.server.ts checks all requests, and answers 403.
  allowedActionOrigins: ["**"],
} satisfies Config;
