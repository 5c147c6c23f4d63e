import { data, Form, href, redirect } from "react-router";
import { AuthPage } from "~/features/accounts/auth-page";
import { INVITATION } from "~/features/accounts/invitations/invitations.server";
import {
  acceptProjectInvitation,
  findOwnInvitation,
  findProjectInvitation,
  NOT_VALID,
} from "~/features/accounts/invitations/project-invitations.server";
import { INVITATION_ID } from "~/features/notifications/notification-text";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import type { Route } from "./+types/invitation";

export const meta: Route.MetaFunction = () => [{ title: "Invitation · Atelier" }];

/** Accepts nothing when the link is opened, because mail scanners follow links. */
export async function loader({ request, context, url }: Route.LoaderArgs) {
  const { token, invitationId } = openedBy(url);
  const visitor = await getVisitor(context);
  if (token === null && invitationId !== null && !visitor) throw redirectToSignIn(request);
  const invitation =
    token === null && invitationId !== null ? await findOwnInvitation(context, invitationId) : await findProjectInvitation(context, token);
  const here = url.pathname + url.search;
  return {
    invitation,
    notValid: NOT_VALID,
    email: visitor?.user.email ?? null,
    signIn: `${href("/sign-in")}?${new URLSearchParams({ redirectTo: here })}`,
    signOut: `${href("/sign-out")}?${new URLSearchParams({ redirectTo: here })}`,
    signUp:
      context.get(configContext).accounts.signUp === "closed" || token === null
        ? null
        : `${href("/sign-up")}?${new URLSearchParams({ [INVITATION]: token, redirectTo: here })}`,
  };
}

export async function action({ request, context, url }: Route.ActionArgs) {
  const accepted = await acceptProjectInvitation({ request, context }, openedBy(url));
  if ("problem" in accepted) return data(accepted, { status: 422, statusText: "Unprocessable Content" });
  setFlash(context, `You joined the project “${isolate(accepted.project)}”`);
  return redirect(href("/projects/:id", { id: accepted.projectId }), 303);
}

const openedBy = ({ searchParams }: URL) => ({ token: searchParams.get(INVITATION), invitationId: searchParams.get(INVITATION_ID) });

const ROLES = {
  editor: "You can view, upload and change everything in it.",
  commenter: "You can view and download everything in it, and comment.",
  viewer: "You can view and download everything in it.",
};

export default function Invitation({ loaderData, actionData }: Route.ComponentProps) {
  const { invitation, notValid, email, signIn, signOut, signUp } = loaderData;
  if (!invitation) {
    return (
      <AuthPage title="Invitation not valid">
        <p className="text-soft">{notValid}</p>
        <ButtonLink to="/projects">Go to projects</ButtonLink>
      </AuthPage>
    );
  }
  const isOther = email !== null && invitation.isForAddress && invitation.email !== email.toLowerCase();
  return (
    <AuthPage title={`Join “${isolate(invitation.project)}”`}>
      <p className="text-soft">
        <strong className="font-medium wrap-anywhere">{isolate(invitation.owner)}</strong> invites you to this project.{" "}
        {ROLES[invitation.role]}
      </p>
      {actionData ? (
        <p role="alert" className="text-danger-text">
          {actionData.problem}
        </p>
      ) : null}
      {email === null ? (
        <div className="grid gap-3">
          {invitation.isForAddress ? <p className="text-soft wrap-anywhere">The invitation is for {invitation.email}.</p> : null}
          {signUp === null ? null : (
            <ButtonLink to={signUp} variant="primary" prefetch="none">
              Create an account
            </ButtonLink>
          )}
          <ButtonLink to={signIn} prefetch="none">
            Sign in
          </ButtonLink>
        </div>
      ) : isOther ? (
        <Form method="post" action={signOut} className="grid gap-3">
          <p className="text-soft wrap-anywhere">
            The invitation is for {invitation.email}. You are signed in as {email}.
          </p>
          <Button type="submit" variant="primary">
            Sign in with another account
          </Button>
        </Form>
      ) : (
        <Form method="post" className="grid gap-3">
          <Button type="submit" variant="primary">
            Accept invitation
          </Button>
          <p className="text-sm text-faint wrap-anywhere">You are signed in as {email}.</p>
        </Form>
      )}
    </AuthPage>
  );
}
