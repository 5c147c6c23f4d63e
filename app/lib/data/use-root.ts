import { useRouteLoaderData } from "react-router";
import type { AppConfig } from "~/config";
import type { Flash } from "~/lib/http/middleware/flash.server";
import type { DateSettings } from "~/lib/ui/time/date-format";
import type { Density, Theme } from "~/lib/ui/theme/preferences";
import type { BuildIdentity } from "./build.server";

export type RootData = {
  userId: string | null;
  token: string | null;
  user: { id: string; name: string; email: string; emailVerified: boolean; image: string | null } | null;
  theme: Theme;
  density: Density;
  convex: AppConfig["browserConvex"];
  build: BuildIdentity;
  flash: Flash | null;
  done: string | null;
  origin: string;
} & DateSettings;

export function useRoot() {
  return useRouteLoaderData<RootData>("root");
}
