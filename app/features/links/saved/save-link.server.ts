import type { RouterContextProvider } from "react-router";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import { type OpenedLink, unlockedLink } from "../open-link.server";

type Context = Readonly<RouterContextProvider>;

export async function isSavedBy(context: Context, { linkId, lock }: OpenedLink): Promise<boolean | null> {
  const visitor = await getVisitor(context);
  if (!visitor) return null;
  const { sessionId } = visitor;
  try {
    return await serviceConvex(context.get(configContext)).query(api.links.isSaved, { sessionId, linkId, lock });
  } catch (error) {
    if (refusalOf(error)?.code === "unauthenticated") return null;
    throw error;
  }
}

export async function saveLink(request: Request, context: Context): Promise<string | null> {
  const { linkId, lock } = await unlockedLink(context);
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId } = visitor;
  try {
    await serviceConvex(context.get(configContext)).mutation(api.links.save, { sessionId, linkId, lock }, { skipQueue: true });
    return null;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code === "unauthenticated") throw redirectToSignIn(request);
    if (refusal?.code === "limit") return refusal.message ?? "Too many saved links. Remove some in “Shared with me”, then try again.";
    throw error;
  }
}
