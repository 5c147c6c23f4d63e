import type { Submission, SubmissionResult } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirectDocument, type RouterContextProvider } from "react-router";
import type { z } from "zod";
import { formOf } from "~/http/form.server";
import { postToAuth, relayCookies } from "./auth-request.server";
import { safeTarget } from "./safe-target";

/** What a form gets back that did not lead on, in conform's terms. */
export type AuthFormAnswer = SubmissionResult;

type AuthForm<Schema extends z.ZodType<Record<string, unknown>>> = {
  schema: Schema;
  /** Better Auth's endpoint, below /api/auth. */
  path: `/${string}`;
  body: (fields: z.output<Schema>) => Record<string, unknown>;
  /** Where to go when it is done; without it, to where the visitor wanted to go. */
  target?: (answer: Response) => string | Promise<string>;
  /** Whether the page stays when it is done, and is told so: what follows is in a mail. */
  stays?: boolean;
};

type Sent = { request: Request; context: Readonly<RouterContextProvider>; url: URL };

/** Fields that are typed anew: no secret goes back into a page. */
const SECRETS = ["password"];

/** Better Auth's word for what was wrong (specification 8), told beside the field that it concerns. */
const BESIDE: Record<string, { field: string; message: string }> = {
  INVALID_EMAIL: { field: "email", message: "Invalid email" },
  INVALID_EMAIL_OR_PASSWORD: { field: "password", message: "Invalid email or password" },
  USER_ALREADY_EXISTS: { field: "email", message: "There is an account with this address already. Sign in instead." },
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: { field: "email", message: "There is an account with this address already. Sign in instead." },
  PASSWORD_TOO_SHORT: { field: "password", message: "Password too short" },
  PASSWORD_TOO_LONG: { field: "password", message: "Password too long" },
  PASSWORD_COMMON: { field: "password", message: "This password is among the first that are guessed" },
  PASSWORD_BREACHED: { field: "password", message: "This password is known from a data breach" },
  EMAIL_NOT_VERIFIED: { field: "email", message: "Email not verified. We have sent you a link to confirm it." },
  INVALID_TOKEN: { field: "token", message: "Invalid token" },
  INVALID_CODE: { field: "code", message: "Invalid code" },
  INVALID_BACKUP_CODE: { field: "code", message: "Invalid backup code" },
  OTP_HAS_EXPIRED: { field: "code", message: "This code is too old, or was used. Have a new one sent." },
  INVALID_TWO_FACTOR_COOKIE: { field: "", message: "This sign-in took too long, or was finished already. Sign in again." },
};

/**
 * A form's way to one of Better Auth's endpoints. Done, it leads to where the visitor wanted to go, as a new document: whose pages they are has
 * changed. Refused, the form comes back with Better Auth's status, what was typed, and the message beside its field.
 */
export async function authFormAction<Schema extends z.ZodType<Record<string, unknown>>>(
  { request, context, url }: Sent,
  { schema, path, body, target, stays = false }: AuthForm<Schema>,
) {
  const submission = parseWithZod(await formOf(request), { schema });
  if (submission.status !== "success") return data(reply(submission), { status: 422, statusText: "Unprocessable Content" });

  const answer = await postToAuth({ request, context }, path, body(submission.value));
  const headers = relayCookies(answer);
  if (answer.ok && stays) return data(accepted(submission), { headers });
  if (answer.ok) {
    const leadsTo = target ? await target(answer) : safeTarget(url.searchParams.get("redirectTo"));
    return redirectDocument(leadsTo, { status: 303, headers });
  }

  const retryAfter = answer.headers.get("Retry-After");
  if (retryAfter !== null) headers.set("Retry-After", retryAfter);
  return data(reply(submission, await errorsOf(answer)), { status: answer.status, headers });
}

type Errors = { fieldErrors?: Record<string, string[]>; formErrors?: string[] };

function reply(submission: Submission<unknown>, errors: Errors = {}): AuthFormAnswer {
  return submission.reply({ ...errors, hideFields: SECRETS });
}

/** What was sent, for a page that says to whom. */
function accepted({ payload }: Submission<unknown>): AuthFormAnswer {
  const told = Object.entries(payload).flatMap(([name, value]) =>
    typeof value === "string" && !SECRETS.includes(name) ? [[name, value]] : [],
  );
  return { status: "success", initialValue: Object.fromEntries(told) };
}

async function errorsOf(answer: Response): Promise<Errors> {
  const { code, message } = await problemIn(answer);
  const beside = code !== null && Object.hasOwn(BESIDE, code) ? BESIDE[code] : undefined;
  return beside ? { fieldErrors: { [beside.field]: [beside.message] } } : { formErrors: [wholeFormMessage(answer, message)] };
}

function wholeFormMessage(answer: Response, message: string | null): string {
  const seconds = Number(answer.headers.get("Retry-After"));
  if (answer.status === 429) return `Too many attempts. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  if (answer.status >= 500) return "The server does not answer. Nothing was changed: try again in a moment.";
  return message ?? "This did not work. Try again.";
}

async function problemIn(answer: Response): Promise<{ code: string | null; message: string | null }> {
  const body: unknown = await answer.json().catch(() => null);
  const text = (name: "code" | "message") => {
    const value = typeof body === "object" && body !== null ? Reflect.get(body, name) : null;
    return typeof value === "string" && value !== "" ? value : null;
  };
  return { code: text("code"), message: text("message") };
}
