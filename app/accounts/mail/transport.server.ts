import { createTransport } from "nodemailer";
import type { Mail } from "./template";

/** Sends a mail; `id` names it for whoever gets it twice. Throws what the mail server, or the way to it, refused with. */
export type Transport = { send(mail: Mail, id: string): Promise<void>; close(): void };

const CONNECT_TIMEOUT = 10_000;
const SOCKET_TIMEOUT = 20_000;

/**
 * @param smtpUrl as nodemailer takes it: smtp://user:password@host:587, smtps://host, with `?requireTLS=true` and the like
 * @param from "Atelier <atelier@example.com>"
 */
export function smtpTransport({ smtpUrl, from }: { smtpUrl: string; from: string }): Transport {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 2,
    connectionTimeout: CONNECT_TIMEOUT,
    greetingTimeout: CONNECT_TIMEOUT,
    socketTimeout: SOCKET_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
  return {
    async send(mail, id) {
      // RFC 3834: nobody's holiday note is to answer it.
      const headers = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
      await transport.sendMail({ ...mail, to: { name: "", address: mail.to }, from, messageId: `<${id}@${domain}>`, headers });
    },
    close: () => transport.close(),
  };
}

/** Whether a mail server has said that it will never take this mail (RFC 5321, 4.2.1: 5yz), which trying again would not change. */
export function isRefusedForGood(error: unknown): boolean {
  const code = replyCode(error);
  return code !== null && code >= 500 && code !== AUTHENTICATION_NEEDED && code !== AUTHENTICATION_FAILED;
}

/** What went wrong, without a word of the mail: mail servers repeat addresses, and more, in their answers. */
export function faultName(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  return [code, replyCode(error)].filter((part) => part !== null).join(" ") || (error instanceof Error ? error.name : "unknown");
}

/** These say something about our settings, not about the mail. */
const AUTHENTICATION_NEEDED = 530;
const AUTHENTICATION_FAILED = 535;

function replyCode(error: unknown): number | null {
  return error instanceof Error && "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : null;
}
