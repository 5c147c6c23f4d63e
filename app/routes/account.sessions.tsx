import { Monitor, Smartphone } from "lucide";
import { deviceName } from "~/features/accounts/session/device-name";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { accountAction } from "~/features/accounts/account-action.server";
import { Section } from "~/features/accounts/settings/section";
import { sessionIntents } from "~/features/accounts/settings/sessions.server";
import { convexFor } from "~/lib/data/convex.server";
import { useLive } from "~/lib/data/use-live";
import { Icon } from "~/lib/ui/icons/icon";
import { RowList } from "~/lib/ui/row-list";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { FunctionReturnType } from "convex/server";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.sessions";

export const meta: Route.MetaFunction = () => [{ title: "Sessions · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  return { sessions: await convexFor(context).preload(api.accounts.mine.getSessions, {}) };
}

export const action = accountAction(sessionIntents);

export default function Sessions({ loaderData }: Route.ComponentProps) {
  const sessions = useLive(loaderData.sessions);
  const otherSessions = sessions.filter(({ current }) => !current);
  return (
    <>
      <Section title="Active sessions" about="If you do not recognise a session, sign out of it and change your password.">
        <RowList>
          {sessions.map((session) => (
            <li key={session.id} className="bg-card p-4">
              <SessionRow session={session} />
            </li>
          ))}
        </RowList>
      </Section>
      {otherSessions.length > 0 ? (
        <Section dangerous title="Other sessions" about="Signs out every session except this one.">
          <RevokeOthersForm />
        </Section>
      ) : null}
    </>
  );
}

type Session = FunctionReturnType<typeof api.accounts.mine.getSessions>[number];

function SessionRow({ session: { id, createdAt, seenAt, ipAddress, userAgent, current } }: { session: Session }) {
  const device = deviceName(userAgent ?? "");
  const handheld = /Android|iOS$/.test(device);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div className="flex min-w-0 gap-3">
        <Icon of={handheld ? Smartphone : Monitor} className="mt-0.5 text-faint" />
        <div className="grid min-w-0 gap-0.5">
          <h3 className="text-base font-medium" title={userAgent ?? undefined}>
            {device}
            {current ? (
              <span className="ms-2 rounded-sm bg-hover px-1.5 py-0.5 text-xs font-medium text-accent-text">This session</span>
            ) : null}
          </h3>
          <p className="text-sm wrap-anywhere text-faint">
            {ipAddress ? <span className="tabular">{ipAddress} · </span> : null}
            {current ? (
              "Active now"
            ) : (
              <>
                Last active <RelativeTime at={seenAt} />
              </>
            )}
            {" · Signed in "}
            <RelativeTime at={createdAt} />
          </p>
        </div>
      </div>
      {current ? null : <RevokeForm id={id} device={device} />}
    </div>
  );
}

function RevokeForm({ id, device }: { id: string; device: string }) {
  const state = useAccountForm({ id: `revoke-${id}`, intent: "revoke" });
  return (
    <AccountForm
      state={state}
      className="grid gap-3"
      hidden={{ id }}
      submit={
        <>
          Sign out<span className="sr-only"> the session of {device}</span>
        </>
      }
    />
  );
}

function RevokeOthersForm() {
  const state = useAccountForm({ id: "revoke-others", intent: "revokeOthers" });
  return <AccountForm state={state} submit="Sign out all other sessions" variant="danger" />;
}
