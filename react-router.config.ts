import type { Config } from "@react-router/dev/config";

/** The app is rendered on the server; `server/` serves the build and owns everything around it. */
export default {
  appDirectory: "app",
  buildDirectory: "build",
  ssr: true,
  // A route's clientAction must not wait for its component's chunk, nor the first paint for either.
  splitRouteModules: true,
} satisfies Config;
