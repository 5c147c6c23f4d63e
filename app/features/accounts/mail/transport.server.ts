import { createTransport } from "nodemailer";
import type { Mail } from "./template";

export type Transport = { send(mail: Mail, id: string): Promise<void>; close(): void };

const CONNECT_TIMEOUT = 10_000;
const SOCKET_TIMEOUT = 20_000;

/** Sends email by SMTP. `smtpUrl` is nodemailer's: smtp://user:password@host:587 or smtps://host, with options (`?requireTLS=true`). */
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
    async send({ headers: own = {}, ...mail }, id) {
      // RFC 3834: suppresses automatic replies.
      const headers = { ...own, "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };
      await transport.sendMail({ ...mail, to: { name: "", address: mail.to }, from, messageId: `<${id}@${domain}>`, headers });
    },
    close: () => transport.close(),
  };
}

/** Returns whether the server rejected the email permanently (RFC 5321, 4.2.1: 5yz). */
export function isPermanentRejection(error: unknown): boolean {
  const code = replyCode(error);
  return code !== null && code >= 500 && code !== AUTHENTICATION_NEEDED && code !== AUTHENTICATION_FAILED;
}

/** Returns a name for an error without the server's text, which can contain addresses. */
export function errorName(error: unknown): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
  return [code, replyCode(error)].filter((part) => part !== null).join(" ") || (error instanceof Error ? error.name : "unknown");
}

const AUTHENTICATION_NEEDED = 530;
const AUTHENTICATION_FAILED = 535;

function replyCode(error: unknown): number | null {
  return error instanceof Error && "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : null;
}
