import { Form, href } from "react-router";
import { AuthPage } from "~/features/accounts/auth-page";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { KIND_NAMES } from "~/features/notifications/kind-names";
import { type Subscription, subscriptionOf, UNSUBSCRIBE_TOKEN } from "~/features/notifications/unsubscribe.server";
import { configContext } from "~/lib/http/context";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/unsubscribe";

export const meta: Route.MetaFunction = () => [{ title: "Unsubscribe · Atelier" }, { name: "robots", content: "noindex" }];

/** Changes nothing when the address is opened, because mail scanners follow links. */
export function loader({ context, url }: Route.LoaderArgs) {
  const subscription = subscriptionOf(context.get(configContext), url.searchParams.get(UNSUBSCRIBE_TOKEN));
  return { from: subscription?.from ?? null };
}

/** Handles the page's button and one-click requests of email programs (RFC 8058), which send no cookies. */
export async function action({ context, url }: Route.ActionArgs) {
  const config = context.get(configContext);
  const subscription = subscriptionOf(config, url.searchParams.get(UNSUBSCRIBE_TOKEN));
  if (subscription) await serviceConvex(config).mutation(api.notificationSettings.end, subscription, { skipQueue: true });
  return { isDone: subscription !== null };
}

export default function Unsubscribe({ loaderData: { from }, actionData }: Route.ComponentProps) {
  if (from === null) {
    return (
      <AuthPage title="Link not valid">
        <p className="text-soft">Copy the whole address from the email, or change your settings.</p>
        <SettingsLink />
      </AuthPage>
    );
  }
  if (actionData?.isDone) {
    return (
      <AuthPage title="Unsubscribed">
        <p role="status" className="text-soft">
          You no longer get {emailsOf(from)}. Notifications still appear in Atelier.
        </p>
        <SettingsLink />
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Unsubscribe?">
      <p className="text-soft">You will no longer get {emailsOf(from)}. Notifications still appear in Atelier.</p>
      <Form method="post" className="grid gap-3">
        <Button type="submit" variant="primary">
          Unsubscribe
        </Button>
        <SettingsLink />
      </Form>
    </AuthPage>
  );
}

const SettingsLink = () => (
  <ButtonLink to={href("/account/notifications")} prefetch="none">
    Notification settings
  </ButtonLink>
);

const emailsOf = (from: Subscription["from"]): string =>
  from === "digest" ? "the daily digest" : `emails about ${KIND_NAMES[from].name.toLowerCase()}`;
