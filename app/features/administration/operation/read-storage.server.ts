import type { RouterContextProvider } from "react-router";
import { configContext } from "~/lib/http/context";
import { metrics } from "~/lib/http/telemetry/metrics.server";
import { uploadsFor } from "~/features/uploads/server/uploads.server";
import { installationContext } from "./installation.server";

export type ServerStorage = Awaited<ReturnType<typeof readStorage>>;

export async function readStorage(context: Readonly<RouterContextProvider>) {
  const installation = context.get(installationContext)?.installation ?? null;
  const [disk, fileBucket, cache] = await Promise.all([
    installation?.disk() ?? null,
    installation?.fileBucket() ?? null,
    metrics.variantCacheBytes.get(),
  ]);
  const { uploads } = uploadsFor(context.get(configContext)).partialUploads.counts();
  return { disk, fileBucket, cacheBytes: cache.values[0]?.value ?? 0, partialUploads: uploads };
}
