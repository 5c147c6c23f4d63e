import { href } from "react-router";
import { useRoot } from "~/data/use-root";
import { Avatar } from "~/ui/avatar";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Page, PageHeader } from "~/ui/page";
import type { Route } from "./+types/account";

export const meta: Route.MetaFunction = () => [{ title: "Account · Atelier" }];

export default function Account() {
  const user = useRoot()?.user;
  if (!user) return null;
  return (
    <Page className="max-w-3xl">
      <PageHeader title="Account" />
      <Card className="grid gap-6 p-6">
        <div className="flex items-center gap-4">
          <Avatar {...user} className="size-14 text-xl" />
          <div className="min-w-0">
            <h2 className="truncate text-lg">{user.name}</h2>
            <p className="truncate text-soft">{user.email}</p>
          </div>
        </div>
        <dl className="grid gap-x-8 gap-y-3 border-t pt-6 sm:grid-cols-[10rem_1fr]">
          <dt className="text-faint">Name</dt>
          <dd className="wrap-anywhere">{user.name}</dd>
          <dt className="text-faint">Email</dt>
          <dd className="wrap-anywhere">{user.email}</dd>
          <dt className="text-faint">Email verified</dt>
          <dd>{user.emailVerified ? "Yes" : "Not yet"}</dd>
        </dl>
      </Card>
      <Card className="grid justify-items-start gap-4 p-6">
        <div className="grid gap-1">
          <h2 className="text-lg">Log out</h2>
          <p className="text-soft">Ends this session on this device. Your projects stay as they are.</p>
        </div>
        <form method="post" action={href("/sign-out")}>
          <Button type="submit">Log out of this device</Button>
        </form>
      </Card>
    </Page>
  );
}
