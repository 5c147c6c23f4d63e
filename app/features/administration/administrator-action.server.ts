import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import type { FormRequest } from "~/features/accounts/account-action.server";
import { Rejection } from "~/features/accounts/rejection.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { clearSessionCache } from "~/features/accounts/session/session-check.server";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { requireRecentSignIn } from "~/features/accounts/settings/require-recent-sign-in.server";
import { notFoundResponse, refusalOf } from "~/lib/data/error-responses";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { RECENT_SIGN_IN_MS } from "#convex/model/admin/recentSignIn";

type AdministratorMutation = FunctionReference<"mutation", "public", { sessionId: string } & Record<string, unknown>>;
type Args<M extends AdministratorMutation> = Omit<FunctionArgs<M>, "sessionId">;

/** Runs a mutation as the administrator of the request. Throws `Rejection`, a redirect to sign-in, or a 404 without the role. */
export async function runAsAdministrator<M extends AdministratorMutation>(request: FormRequest, mutation: M, args: Args<M>) {
  const visitor = await getVisitor(request.context);
  if (!visitor) throw redirectToSignIn(request.request);
  return run(request, mutation, args, visitor.sessionId);
}

/** Runs a destructive mutation. Throws `Rejection` with the code of a session that is not fresh, so that the form asks for the password. */
export async function runAfterRecentSignIn<M extends AdministratorMutation>(request: FormRequest, mutation: M, args: Args<M>) {
  const { session } = await requireRecentSignIn(request, RECENT_SIGN_IN_MS);
  return run(request, mutation, args, session.id);
}

async function run<M extends AdministratorMutation>(
  { request, context }: FormRequest,
  mutation: M,
  args: Args<M>,
  sessionId: string,
): Promise<FunctionReturnType<M>> {
  try {
    const client = serviceConvex(context.get(configContext));
    // TypeScript cannot relate the omitted and added argument to the function's arguments.
    return await client
      .mutation<AdministratorMutation>(mutation, { ...args, sessionId, ...clientNetwork(context) }, { skipQueue: true })
      .finally(clearSessionCache);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code === "unauthenticated") throw redirectToSignIn(request);
    if (refusal?.code === "not_found") throw notFoundResponse();
    const message = refusal?.message ?? Object.values(refusal?.fieldErrors ?? {}).flat()[0];
    if (message === undefined) throw error;
    throw new Rejection(message, { status: 422, code: "NOT_ADMINISTERED" });
  }
}
