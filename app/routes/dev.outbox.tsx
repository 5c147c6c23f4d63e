import { notFoundResponse } from "~/lib/data/error-responses";
import { readOutbox } from "~/features/accounts/mail/outbox.server";
import { configContext } from "~/lib/http/context";
import { Card } from "~/lib/ui/card";
import { EmptyState } from "~/lib/ui/empty-state";
import { Page, PageHeader } from "~/lib/ui/page";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { Route } from "./+types/dev.outbox";

export const meta: Route.MetaFunction = () => [{ title: "Outbox · Atelier" }];

/** Throws 404 in production, because readers of the email could take over accounts. */
export async function loader({ context }: Route.LoaderArgs) {
  const mails = await readOutbox(context.get(configContext));
  if (!mails) throw notFoundResponse();
  return { mails };
}

export default function Outbox({ loaderData: { mails } }: Route.ComponentProps) {
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader title="Outbox" summary={mails.length > 0 ? `${mails.length}` : null} />
      {mails.length === 0 ? (
        <EmptyState
          title="No emails yet"
          text="Without SMTP_URL, emails are listed here instead of being sent. An email is removed when its link or code expires."
        />
      ) : null}
      {mails.map(({ id, writtenAt, to, subject, text, html, url }) => (
        <Card key={id} className="grid gap-4 p-6">
          <div className="grid gap-1">
            <h2 className="text-lg">{subject}</h2>
            <p className="text-sm text-faint">
              To {to}, <RelativeTime at={writtenAt} />
            </p>
          </div>
          {url === undefined ? null : (
            <a href={url} className="text-accent-text underline underline-offset-4 wrap-anywhere">
              {url}
            </a>
          )}
          <details>
            <summary className="cursor-pointer text-sm text-soft">As text</summary>
            <pre className="mt-3 overflow-x-auto font-mono text-sm whitespace-pre-wrap text-soft">{text}</pre>
          </details>
          <details>
            <summary className="cursor-pointer text-sm text-soft">As HTML</summary>
            <iframe title={`${subject}, as HTML`} srcDoc={html} sandbox="" className="mt-3 h-[38rem] w-full rounded-md border" />
          </details>
        </Card>
      ))}
    </Page>
  );
}
