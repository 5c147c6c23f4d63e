import { type RouteConfig, route } from "@react-router/dev/routes";

export default [route("projects", "projects.tsx"), route("sign-in", "sign-in.tsx")] satisfies RouteConfig;
