import type { AuthContext, BetterAuthPlugin, GenericEndpointContext, Session } from "better-auth";
import { log } from "~/lib/http/telemetry/log.server";
import { isInlinePicture, isProviderPicture } from "../../providers/provider-picture.server";

const SIGN_INS = new Set(["/callback/:id", "/sign-in/social"]);

type Copy = (picture: { sessionId: string; userId: string; address: string }) => Promise<string>;

export const providerPictures = (copy: Copy) =>
  ({
    id: "provider-pictures",
    init: ({ internalAdapter }: Pick<AuthContext, "internalAdapter">) => {
      /** Stores `data:` pictures of sign-ups until their sessions exist. They are too long for the user's row. */
      const inline = new WeakMap<GenericEndpointContext["context"], string>();
      const imageOf = async (userId: string) => (await internalAdapter.findUserById(userId))?.image;

      async function copyFor(userId: string, sessionId: string, picture: string | null | undefined): Promise<void> {
        const before = await imageOf(userId);
        const address = picture ?? before;
        if (!address || !(picture || isProviderPicture(address))) return;
        const image = await copy({ sessionId, userId, address });
        if ((await imageOf(userId)) === before) await internalAdapter.updateUser(userId, { image });
      }

      return {
        options: {
          databaseHooks: {
            user: {
              create: {
                before: async ({ image }, ctx) => {
                  if (!ctx || !SIGN_INS.has(ctx.path) || !image || !isInlinePicture(image)) return;
                  inline.set(ctx.context, image);
                  return { data: { image: null } };
                },
              },
            },
            session: {
              create: {
                // Better Auth passes null if the session was not stored, contrary to its types.
                after: async (session: Session | null, ctx) => {
                  if (session === null || !SIGN_INS.has(ctx?.path ?? "")) return;
                  void copyFor(session.userId, session.id, ctx && inline.get(ctx.context)).catch((error: unknown) =>
                    log.warn(
                      { from: "accounts", reason: error instanceof Error ? error.name : "unknown" },
                      "a provider's picture was not copied",
                    ),
                  );
                },
              },
            },
          },
        },
      };
    },
  }) satisfies BetterAuthPlugin;
