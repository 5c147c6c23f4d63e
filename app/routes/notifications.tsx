import { convexFor } from "~/data/convex.server";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { liveAction } from "~/forms/live-action";
import { noticeIntents } from "~/notices/intents";
import { NoNotices } from "~/notices/no-notices";
import { MarkAllRead, NoticeList } from "~/notices/notice-list";
import { noticePage, placeFrom } from "~/notices/pages";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/notifications";

export const meta: Route.MetaFunction = () => [{ title: "Notifications · Atelier" }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const after = placeFrom(url.searchParams);
  return { notices: await convexFor(context).preload(api.notices.getNotices, after ? { after } : {}), isFirst: after === null };
}

export const action = serverAction(noticeIntents);
export const clientAction = liveAction(noticeIntents);
export const shouldRevalidate = liveRevalidation;

export default function Notifications({ loaderData }: Route.ComponentProps) {
  const page = noticePage(useLive(loaderData.notices), loaderData.isFirst);
  const notices = page.rows;
  const unread = notices.filter(({ read }) => !read).length;
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader
        title="Notifications"
        facts={unread > 0 && page.isFirst ? `${page.next === null ? "" : "at least "}${unread} unread` : null}
      >
        {unread > 0 ? <MarkAllRead /> : null}
      </PageHeader>
      {notices.length > 0 ? <NoticeList notices={notices} /> : <NoNotices />}
      <MorePages things="notifications" page={page} />
    </Page>
  );
}
