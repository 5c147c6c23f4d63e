import { ConvexClient } from "convex/browser";
import { signServiceToken } from "~/accounts/tokens.server";
import type { AppConfig } from "~/config";
import { log } from "~/http/log.server";
import { api } from "#convex/_generated/api";
import { RELEASED_TOLD_FOR } from "#convex/rules";

export type Forgetting = { close(): Promise<void> };

/** Two deletions at once may be told in another order than they were made: so far back (milliseconds) each look reaches behind the last. */
const OVERLAP = 60_000;

/**
 * Forgets the copies of every picture whose file is deleted, as soon as it is, and of those that were deleted while this server was down.
 *
 * @param forget removes the copies of the file with this checksum; may be told of one more than once
 */
export function startForgetting(config: AppConfig, forget: (checksum: string) => Promise<void>): Forgetting {
  const client = new ConvexClient(config.convexUrl, { skipConvexDeploymentUrlCheck: true, logger: false, expectAuth: true });
  client.setAuth(() => signServiceToken(config.signingKey));
  let stop = () => {};

  function listen(after: number) {
    const done = new Set<string>();
    stop = client.onUpdate(
      api.released.since,
      { after },
      (released) => {
        const news = released.filter(({ checksum }) => !done.has(checksum));
        for (const { checksum } of news) {
          done.add(checksum);
          forget(checksum).catch((error: unknown) => log.error({ error }, "the copies of a deleted picture stay"));
        }
        const last = released.at(-1)?.at ?? 0;
        // So that the answer does not grow for ever.
        if (last - OVERLAP > after && released.length > 0) {
          stop();
          listen(last - OVERLAP);
        }
      },
      (error) => log.error({ error }, "it cannot be read which pictures were deleted"),
    );
  }
  listen(Date.now() - RELEASED_TOLD_FOR);

  return { close: () => client.close() };
}
