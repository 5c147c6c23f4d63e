import { NoNotices } from "~/notices/no-notices";
import { Page, PageHeader } from "~/ui/page";
import type { Route } from "./+types/notifications";

export const meta: Route.MetaFunction = () => [{ title: "Notifications · Atelier" }];

export default function Notifications() {
  return (
    <Page className="max-w-3xl">
      <PageHeader title="Notifications" />
      <NoNotices />
    </Page>
  );
}
