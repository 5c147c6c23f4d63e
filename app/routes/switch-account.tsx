import { Form, redirect, redirectDocument } from "react-router";
import { AuthPage } from "~/features/accounts/auth-page";
import { postToAuth, relayCookies } from "~/features/accounts/auth-api/auth-request.server";
import { getVisitor } from "~/features/accounts/session/session.server";
import { userSummary } from "~/features/accounts/session/user-summary";
import { followLink, linkIn, originalAddress, otherOwnerOf } from "~/features/accounts/auth-api/sign-in-link.server";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import type { Route } from "./+types/switch-account";

export const meta: Route.MetaFunction = () => [{ title: "Switch account · Atelier" }];

export async function loader({ request, context, url }: Route.LoaderArgs) {
  const link = linkIn(url);
  if (!link) throw redirect("/sign-in");
  const [visitor, owner] = [await getVisitor(context), await otherOwnerOf(link, { request, context })];
  if (!visitor || !owner) throw redirect(originalAddress(link));
  return { current: labelsOf(visitor.user), owner: labelsOf(owner) };
}

function labelsOf(user: { name: string; email: string }) {
  const { name, email } = userSummary(user);
  return { name: name || email, email: email || name };
}

export async function action({ request, context, url }: Route.ActionArgs) {
  const link = linkIn(url);
  if (!link) throw redirect("/sign-in", 303);
  const answer = await followLink(link, { request, context });
  const target = link.kind === "magic-link" ? answer.headers.get("Location") : link.target;
  if (answer.status >= 400 || target === null || new URL(target, request.url).searchParams.has("error")) {
    setFlash(context, answer.status === 429 ? "Too many attempts. Try again later." : "This link is no longer valid.");
    return redirect("/projects", 303);
  }
  // The new session's cookies come last: they replace those that sign-out removes.
  const headers = relayCookies(await postToAuth({ request, context }, "/sign-out"));
  return redirectDocument(target, { status: 303, headers: relayCookies(answer, headers) });
}

export default function SwitchAccount({ loaderData: { current, owner } }: Route.ComponentProps) {
  return (
    <AuthPage title="Switch account?">
      <p className="text-soft">
        You are signed in as <strong>{current.email}</strong>. This link signs in <strong>{owner.email}</strong>. If you continue, you are
        signed out of {current.email} in this browser.
      </p>
      <Form method="post" className="grid gap-3">
        <Button type="submit" variant="primary">
          Continue as {owner.name}
        </Button>
        <ButtonLink to="/projects">Stay signed in as {current.name}</ButtonLink>
      </Form>
    </AuthPage>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorScreen error={error} atRoot />;
}
