import { href } from "react-router";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { Section } from "~/features/accounts/settings/section";
import { DeliveryForm } from "~/features/notifications/settings/delivery-form";
import { MuteForm } from "~/features/notifications/settings/mute-form";
import { muteIntents, settingIntents } from "~/features/notifications/settings/setting-intents";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { useRoot } from "~/lib/data/use-root";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { configContext } from "~/lib/http/context";
import { Link } from "~/lib/ui/navigation/link";
import { RowList } from "~/lib/ui/row-list";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.notifications";

export const meta: Route.MetaFunction = () => [{ title: "Notification settings · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [settings, me] = await Promise.all([convex.preload(api.notificationSettings.get, {}), convex.preload(api.accounts.mine.getMe, {})]);
  return { settings, me, mail: mailProviderLink(context.get(configContext)) !== null };
}

const intents = { ...settingIntents, ...muteIntents };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const shouldRevalidate = liveRevalidation;

const LINK = "text-accent-text underline underline-offset-4";

export default function NotificationSettings({ loaderData }: Route.ComponentProps) {
  const { deliveries, timeZone, muted } = useLive(loaderData.settings);
  const me = useLive(loaderData.me);
  const zone = useRoot()?.timeZone ?? timeZone ?? "UTC";
  return (
    <>
      <Section
        title="Emails"
        about={
          <>
            All notifications are at{" "}
            <Link to={href("/notifications")} prefetch="intent" className={LINK}>
              Notifications
            </Link>
            . Choose which of them you also get by email. The daily digest is sent at 8:00 ({zone}).
          </>
        }
      >
        {loaderData.mail ? null : <p className="text-soft">This installation does not send email.</p>}
        {loaderData.mail && !me.emailVerified ? (
          <p className="text-soft">
            You get emails once your address is verified.{" "}
            <Link to={href("/verify-email")} prefetch="intent" className={LINK}>
              Verify address
            </Link>
          </p>
        ) : null}
        <DeliveryForm deliveries={deliveries} />
      </Section>
      <Section
        title="Muted projects"
        about="Notifications of a muted project are marked as read, and you get no emails about it. Mute a project on its members page."
      >
        {muted.length > 0 ? (
          <RowList label="Muted projects">
            {muted.map(({ projectId, project }) => (
              <li key={projectId} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
                <Link to={href("/projects/:id", { id: projectId })} prefetch="intent" className="min-w-0 font-medium wrap-anywhere">
                  <bdi>{project}</bdi>
                </Link>
                <MuteForm projectId={projectId} isMuted project={project} />
              </li>
            ))}
          </RowList>
        ) : (
          <p className="text-faint">No muted projects</p>
        )}
      </Section>
    </>
  );
}
