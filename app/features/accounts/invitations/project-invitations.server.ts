import { data, type RouterContextProvider } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { refusalOf } from "~/lib/data/error-responses";
import { failedForm } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { FORM_FIELD, INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import { MEMBER_ROLES } from "#convex/model/rights";
import { unsubscribeAddress } from "~/features/notifications/unsubscribe.server";
import { mailProviderLink } from "../mail/mail-provider-link";
import { queueMail } from "../mail/queue.server";
import { serviceConvex } from "../session/convex/service-client.server";
import { getVisitor, redirectToSignIn } from "../session/session.server";
import { createInvitationToken, hashInvitationToken, INVITATION, isInvitationToken } from "./invitations.server";

/** `link` is shown to the inviter where no email is configured. Only this response contains it, because it is not stored. */
export type InvitationAnswer = FormAnswer & { invited?: { email: string; link: string | null } };

type Sent = { request: Request; context: Readonly<RouterContextProvider>; projectId: string; sent: FormData };

export async function inviteToProject({ request, context, projectId, sent }: Sent) {
  checkFieldNames(sent, { once: [INTENT_FIELD, FORM_FIELD, "email", "role"] });
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  const isMailed = mailProviderLink(config) !== null;
  const { token, tokenHash } = createInvitationToken();
  const form = textOf(sent, FORM_FIELD);
  const values = { email: textOf(sent, "email"), role: textOf(sent, "role") };
  const role = MEMBER_ROLES.find((each) => each === values.role) ?? "viewer";
  try {
    const { email, project, inviter, account } = await serviceConvex(config).mutation(
      api.invitations.invite,
      { sessionId: visitor.sessionId, projectId, email: values.email, role, tokenHash, isMailed, ...clientNetwork(context) },
      { skipQueue: true },
    );
    const url = `${config.publicUrl}/invitation?${new URLSearchParams({ [INVITATION]: token })}`;
    const unsubscribe = account && { unsubscribe: unsubscribeAddress(config, { userId: account.userId, from: "invitation" }) };
    if (isMailed && account?.isMailed !== false)
      await queueMail(config, { kind: "projectInvitation", to: email, name: "", url, project, inviter, ...unsubscribe });
    return data<InvitationAnswer>({ form, result: { status: "success" }, invited: { email, link: isMailed ? null : url } });
  } catch (error) {
    if (refusalOf(error)?.code === "unauthenticated") throw redirectToSignIn(request);
    return data<InvitationAnswer>(...failedForm(error, form, values));
  }
}

export async function findProjectInvitation(context: Readonly<RouterContextProvider>, token: unknown) {
  if (!isInvitationToken(token)) return null;
  return serviceConvex(context.get(configContext)).query(api.invitations.find, { tokenHash: hashInvitationToken(token) });
}

export async function findOwnInvitation(context: Readonly<RouterContextProvider>, invitationId: string) {
  if (!(await getVisitor(context))) return null;
  return (await convexFor(context).preload(api.invitations.findOwn, { invitationId })).value;
}

type Opened = { token: string | null; invitationId: string | null };

export async function acceptProjectInvitation({ request, context }: Omit<Sent, "projectId" | "sent">, { token, invitationId }: Opened) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const opened = isInvitationToken(token) ? { tokenHash: hashInvitationToken(token) } : invitationId !== null && { invitationId };
  if (!opened) return { problem: NOT_VALID };
  try {
    return await serviceConvex(context.get(configContext)).mutation(
      api.invitations.accept,
      { sessionId: visitor.sessionId, ...opened, ...clientNetwork(context) },
      { skipQueue: true },
    );
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code === "unauthenticated") throw redirectToSignIn(request);
    if (refusal?.code === "not_found") return { problem: NOT_VALID };
    if (refusal?.code === "conflict") return { problem: refusal.message ?? NOT_VALID };
    throw error;
  }
}

export const NOT_VALID = "This invitation was already used, has expired, or was revoked. Ask for a new one.";
