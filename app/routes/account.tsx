import { Outlet } from "react-router";
import { AccountNav } from "~/features/accounts/settings/account-nav";
import { Page, PageHeader } from "~/lib/ui/page";

export default function Account() {
  return (
    <Page className="grid-cols-[minmax(0,48rem)] gap-6">
      <PageHeader title="Account" />
      <AccountNav />
      <Outlet />
    </Page>
  );
}
