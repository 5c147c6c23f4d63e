import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { OfferedProjects } from "~/features/accounts/transfers/offered-projects";
import { noticeIntents } from "~/features/notifications/intents";
import { NoNotifications } from "~/features/notifications/no-notifications";
import { MarkAllRead, NotificationList } from "~/features/notifications/notification-list";
import { noticePage, pageStartFrom } from "~/features/notifications/pages";
import { href } from "react-router";
import { Link } from "~/lib/ui/navigation/link";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/notifications";

export const meta: Route.MetaFunction = () => [{ title: "Notifications · Atelier" }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const after = pageStartFrom(url.searchParams);
  const convex = convexFor(context);
  const [notices, offers] = await Promise.all([
    convex.preload(api.notices.listAll, after ? { after } : {}),
    convex.preload(api.transfers.listOffered, {}),
  ]);
  return { notices, offers, isFirst: after === null };
}

export const action = serverAction(noticeIntents);
export const clientAction = liveAction(noticeIntents);
export const shouldRevalidate = liveRevalidation;

export default function Notifications({ loaderData }: Route.ComponentProps) {
  const page = noticePage(useLive(loaderData.notices), loaderData.isFirst);
  const notices = page.rows;
  const offers = useLive(loaderData.offers);
  const unread = notices.filter(({ read }) => !read).length;
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader
        title="Notifications"
        summary={unread > 0 && page.isFirst ? `${page.next === null ? "" : "at least "}${unread} unread` : null}
      >
        {unread > 0 ? <MarkAllRead /> : null}
      </PageHeader>
      <p className="-mt-4 text-sm">
        <Link to={href("/account/notifications")} prefetch="intent" className="text-accent-text underline underline-offset-4">
          Notification settings
        </Link>
      </p>
      {page.isFirst ? <OfferedProjects offers={offers} /> : null}
      {notices.length > 0 ? <NotificationList notices={notices} /> : offers.length > 0 ? null : <NoNotifications />}
      <MorePages itemNoun="notifications" page={page} />
    </Page>
  );
}
