import { DISK_FULL_TEXT } from "~/lib/data/error-responses";

export class Rejection extends Error {
  override name = "Rejection";
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | null;
  constructor(message: string, { status, code, retryAfter = null }: { status: number; code: string; retryAfter?: string | null }) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export async function rejectionOf(response: Response): Promise<Rejection> {
  const body: unknown = await response.json().catch(() => null);
  const text = (name: "code" | "message") => {
    const value = typeof body === "object" && body !== null ? Reflect.get(body, name) : null;
    return typeof value === "string" ? value : "";
  };
  const { status } = response;
  const retryAfter = response.headers.get("Retry-After");
  const message = text("code") === "READ_ONLY" ? text("message") : messageFor(status, retryAfter, text("message"));
  return new Rejection(message, { status, code: text("code"), retryAfter });
}

function messageFor(status: number, retryAfter: string | null, message: string): string {
  const seconds = Number(retryAfter);
  if (status === 429 && seconds > 0) return `Too many attempts. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  if (status === 507) return DISK_FULL_TEXT;
  if (status >= 500) return "The server is not responding. Nothing was changed. Try again in a moment.";
  return message || "Something went wrong. Try again.";
}

const KNOWN: Readonly<Record<string, { field: string; message: string }>> = {
  INVALID_EMAIL: { field: "email", message: "Invalid email" },
  INVALID_EMAIL_OR_PASSWORD: { field: "password", message: "Invalid email or password" },
  USER_ALREADY_EXISTS: { field: "email", message: "An account with this email address already exists. Sign in instead." },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: { field: "email", message: "An account with this email address already exists. Sign in instead." },
  PASSWORD_TOO_SHORT: { field: "password", message: "Password too short" },
  PASSWORD_TOO_LONG: { field: "password", message: "Password too long" },
  PASSWORD_COMMON: { field: "password", message: "This password is too common. Choose another one." },
  PASSWORD_BREACHED: { field: "password", message: "This password appeared in a data breach. Choose another one." },
  EMAIL_NOT_VERIFIED: { field: "email", message: "Email not verified. We sent you a link to verify it." },
  INVALID_TOKEN: { field: "token", message: "Invalid token" },
  INVALID_CODE: { field: "code", message: "Invalid code" },
  INVALID_BACKUP_CODE: { field: "code", message: "Invalid backup code" },
  OTP_HAS_EXPIRED: { field: "code", message: "This code has expired or was already used. Request a new one." },
  INVALID_TWO_FACTOR_COOKIE: { field: "", message: "This sign-in has expired or was already completed. Sign in again." },
};

/** Returns a rejection as a form's errors. `fieldOf` maps error codes to the form's fields, "*" all others; "" is the whole form. */
export function formErrors(
  { code, message }: Rejection,
  fields: readonly string[],
  fieldOf: Readonly<Record<string, string>>,
): Record<string, string[]> {
  const explained = Object.hasOwn(KNOWN, code) ? KNOWN[code] : undefined;
  const ofForm = explained && (explained.field === "" || fields.includes(explained.field)) ? explained.field : undefined;
  return { [fieldOf[code] ?? ofForm ?? fieldOf["*"] ?? ""]: [explained?.message ?? message] };
}
