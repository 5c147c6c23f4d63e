import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { count } from "~/lib/ui/count";
import { RowList } from "~/lib/ui/row-list";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { MailState } from "#convex/admin/mail";
import { Fact, Facts } from "../facts";
import { FactRow } from "../rows";

export function MailQueue({ state: { waiting, retried, oldestDueAt } }: { state: MailState }) {
  return (
    <Facts>
      <Fact name="Waiting messages">{waiting}</Fact>
      <Fact name="With failed attempts">{retried}</Fact>
      {oldestDueAt === null ? null : (
        <Fact name="Oldest waiting message">
          Due <RelativeTime at={oldestDueAt} />
        </Fact>
      )}
    </Facts>
  );
}

export function TestMailForm({ email }: { email: string }) {
  const state = useAccountForm({ id: "test-mail", intent: "sendTestMail" });
  return (
    <AccountForm
      state={state}
      submit="Send test email"
      successTexts={{ "test-mail-queued": `A message to ${email} is queued. Its delivery appears below.` }}
    />
  );
}

const RESULTS = { sent: "Sent", postponed: "Attempt failed. It will be retried.", failed: "Rejected permanently" } as const;

const KINDS: Record<string, string> = {
  resetPassword: "Password reset",
  verifyEmail: "Verification",
  verifyNewEmail: "Verification of a new address",
  confirmEmailChange: "Confirmation of an address change",
  deleteAccount: "Confirmation of a deletion",
  signInLink: "Sign-in link",
  alreadySignedUp: "Notice of an existing account",
  invitation: "Invitation",
  projectInvitation: "Invitation to a project",
  linkReport: "Report of a link",
  code: "Code",
  notice: "Account notice",
  notification: "Project notification",
  test: "Test email",
  backupWarning: "Warning about backups",
};

export function MailAttempts({ attempts }: { attempts: MailState["attempts"] }) {
  return (
    <RowList label="Deliveries" isOrdered>
      {attempts.map(({ _id, at, kind, result, attempt, reason }) => (
        <FactRow key={_id}>
          <span className="grid min-w-0 gap-0.5">
            <span>{KINDS[kind] ?? kind}</span>
            <span className={result === "sent" ? "text-sm text-faint" : "text-sm wrap-anywhere text-danger-text"}>
              {RESULTS[result]}
              {reason === undefined ? "" : ` (${reason})`}
              {attempt > 1 ? `, ${count(attempt, "attempt")}` : ""}
            </span>
          </span>
          <span className="text-sm text-faint">
            <RelativeTime at={at} />
          </span>
        </FactRow>
      ))}
    </RowList>
  );
}

export type IssuerState = { label: string; issuer: string; problem: string | null };

export function IssuerStates({ issuers }: { issuers: readonly IssuerState[] }) {
  return (
    <RowList label="Issuers">
      {issuers.map(({ label, issuer, problem }) => (
        <FactRow key={issuer}>
          <span className="grid min-w-0 gap-0.5">
            <span className="font-medium wrap-anywhere">{label}</span>
            <span className="text-sm wrap-anywhere text-faint">{issuer}</span>
          </span>
          {problem === null ? (
            <span className="text-sm">Responds</span>
          ) : (
            <span className="text-sm wrap-anywhere text-danger-text">{problem}</span>
          )}
        </FactRow>
      ))}
    </RowList>
  );
}
