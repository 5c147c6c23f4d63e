import type { AppConfig } from "~/config";

/** Returns the mail transport. Development without SMTP uses the outbox at /dev/outbox; null disables features that need email. */
export function mailProviderLink({ smtpUrl, production }: Pick<AppConfig, "smtpUrl" | "production">): "smtp" | "outbox" | null {
  if (smtpUrl !== null) return "smtp";
  return production ? null : "outbox";
}
