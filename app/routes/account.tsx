import { Outlet } from "react-router";
import { AccountNav } from "~/accounts/screens/account-nav";
import { Page, PageHeader } from "~/ui/page";

/** What the account's screens have in common: the way between them. */
export default function Account() {
  return (
    <Page className="grid-cols-[minmax(0,48rem)] gap-6">
      <PageHeader title="Account" />
      <AccountNav />
      <Outlet />
    </Page>
  );
}
