import { data, href, redirect } from "react-router";
import { AuthPage } from "~/features/accounts/auth-page";
import { linkOf, unlock } from "~/features/links/open-link.server";
import { UnlockForm } from "~/features/links/visitor/unlock-form";
import { textOf } from "~/lib/forms/intents";
import { readFormData } from "~/lib/http/forms/form.server";
import type { Route } from "./+types/link.unlock";

export const meta: Route.MetaFunction = () => [{ title: "Password required · Atelier" }, { name: "robots", content: "noindex" }];

export async function loader({ context, params: { token } }: Route.LoaderArgs) {
  const { isUnlocked } = await linkOf(context);
  if (isUnlocked) throw redirect(href("/s/:token", { token }));
  return null;
}

export async function action({ request, context, params: { token } }: Route.ActionArgs) {
  const answer = await unlock(request, context, textOf(await readFormData(request), "password"));
  if ("problem" in answer) return data({ problem: answer.problem }, { status: answer.status });
  const response = redirect(href("/s/:token", { token }), 303);
  for (const cookie of answer.cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}

export default function LinkUnlock({ actionData }: Route.ComponentProps) {
  return (
    <AuthPage title="Password required">
      <p className="text-soft">Enter the password for this link.</p>
      <UnlockForm problem={actionData?.problem} />
    </AuthPage>
  );
}
