import type { AppConfig } from "~/config";

/**
 * How mail leaves: by SMTP; or, in development without it, into an outbox that is read at /dev/outbox. Null: not at all, and what needs mail is
 * not offered.
 */
export function mailWay({ smtpUrl, production }: Pick<AppConfig, "smtpUrl" | "production">): "smtp" | "outbox" | null {
  if (smtpUrl !== null) return "smtp";
  return production ? null : "outbox";
}
