import * as z from "zod";

const healthSchema = z.object({
  damaged: z.boolean(),
  fileBucket: z
    .object({
      location: z.string(),
      movesBack: z.boolean(),
      waitingFiles: z.number().nullable(),
      cachedFiles: z.number(),
      cachedBytes: z.number(),
      cacheLimitBytes: z.number(),
      problem: z.string().nullable(),
    })
    .nullable()
    .default(null),
});

export type DeploymentHealth = z.infer<typeof healthSchema>;

/** Returns the state of the embedded deployment, or its HTTP status if it refuses. Rejects if it does not answer in time. */
export async function readDeploymentHealth(
  url: string,
  { adminKey, timeoutMs }: { adminKey: string; timeoutMs: number },
): Promise<DeploymentHealth | { status: number }> {
  const response = await fetch(`${url}/api/health`, {
    headers: { Authorization: `Convex ${adminKey}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.ok) return healthSchema.parse(await response.json());
  await response.body?.cancel();
  return { status: response.status };
}
