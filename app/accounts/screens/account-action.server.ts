import type { Submission } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect, redirectDocument, type RouterContextProvider } from "react-router";
import type { z } from "zod";
import { api } from "#convex/_generated/api";
import { convexFor } from "~/data/convex.server";
import { FORM_FIELD, INTENT_FIELD } from "~/forms/intents";
import { tellDone } from "~/http/flash.server";
import { formOf } from "~/http/form.server";
import { toSignIn } from "../session.server";
import { postToAuth, relayCookies } from "../auth-request.server";
import { type AccountAnswer, STEP_UP_FIELD } from "./answer";

type Sent = { request: Request; context: Readonly<RouterContextProvider>; url: URL };

/** A form's way to Better Auth, for one request. */
export type Asking = Sent & {
  /** Calls an endpoint below /api/auth and answers its JSON; throws `Refused`. Cookies that it sets reach the visitor. */
  post: (path: `/${string}`, body?: Record<string, unknown>) => Promise<unknown>;
};

/**
 * What came of it. `done`: the page says so; a name other than the form's where there is more than one thing to say. `show`: the page comes
 * back with this in it. `leave`: to a new document, since the visitor or their session is another now; `done` then, if that is to be said there.
 */
export type Outcome = { done?: string } | { show: Shown } | { leave: string; done?: string };

type Spec<Schema extends z.ZodType<Record<string, unknown>>> = {
  schema: Schema;
  run: (fields: z.output<Schema>, asking: Asking) => Promise<Outcome>;
  /** The fields beside which refusals are told, by Better Auth's word for them; "*" for all others. Without: at the form's head. */
  beside?: Record<string, string>;
  /** What a refused form's page has to show again, besides the form. */
  keep?: (sent: FormData) => Shown;
};

type Shown = Pick<AccountAnswer, "setup" | "codes">;

type Taken = Outcome | Refusal;

type Refusal = { refused: AccountAnswer["result"]; status: number; headers?: HeadersInit; stepUp?: AccountAnswer["stepUp"]; kept?: Shown };

/** One of a screen's forms: made by `accountIntent`. */
export type AccountIntent = (sent: FormData, asking: Asking) => Promise<Taken>;

/** An endpoint said no. */
export class Refused extends Error {
  override name = "Refused";
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

/**
 * Describes one thing that a form of the account's screens does. Its fields are judged before anything is asked; where a fresh session is wanted
 * and the form brings the password for it, that comes first, and then the form goes on as it was.
 */
export function accountIntent<Schema extends z.ZodType<Record<string, unknown>>>({
  schema,
  run,
  beside = {},
  keep,
}: Spec<Schema>): AccountIntent {
  return async (sent, asking) => {
    const submission = parseWithZod(sent, { schema });
    const kept = keep?.(sent);
    if (submission.status !== "success") return { refused: reply(submission), status: 422, kept };
    const stepUp = sent.get(STEP_UP_FIELD);
    try {
      if (typeof stepUp === "string") await asking.post("/step-up", { password: stepUp });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const field = error.code === "INVALID_PASSWORD" ? STEP_UP_FIELD : "";
      return { ...refusal(submission, error, field), stepUp: "password" };
    }
    try {
      return await run(submission.value, asking);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (isStale(error)) return { refused: reply(submission), status: 403, stepUp: await howToStepUp(asking) };
      return { ...refusal(submission, error, beside[error.code] ?? beside["*"] ?? ""), kept };
    }
  };
}

/** A route's action over its forms' intents. */
export const accountAction =
  (intents: Record<string, AccountIntent>) =>
  async ({ request, context, url }: Sent) => {
    const sent = await formOf(request);
    const name = textOf(sent, INTENT_FIELD);
    const intent = Object.hasOwn(intents, name) ? intents[name] : undefined;
    if (!intent) throw data(null, { status: 400, statusText: "Bad Request" });
    return answer(await intent(sent, asking({ request, context, url })), textOf(sent, FORM_FIELD), { request, context, url });
  };

/** A text field of a form; one that is missing, or a file, reads as empty. */
export function textOf(sent: FormData, field: string): string {
  const value = sent.get(field);
  return typeof value === "string" ? value : "";
}

const cookiesOf = new WeakMap<Request, Headers>();

export function asking({ request, context, url }: Sent): Asking {
  const cookies = new Headers();
  cookiesOf.set(request, cookies);
  return {
    request,
    context,
    url,
    post: async (path, body) => {
      const answer = await postToAuth({ request, context }, path, body);
      relayCookies(answer, cookies);
      if (answer.ok) return answer.json();
      if (answer.status === 401 && path !== "/two-factor/verify-totp") throw toSignIn(request);
      throw await refusedBy(answer);
    },
  };
}

/** The answer to a form: without scripts led on to the page (303), so that reloading sends nothing twice. */
export function answer(taken: Taken, form: string, { request, context, url }: Sent) {
  const headers = cookiesOf.get(request) ?? new Headers();
  if ("leave" in taken) {
    if (taken.done !== undefined) tellDone(context, taken.done);
    return redirectDocument(taken.leave, { status: 303, headers });
  }
  if ("refused" in taken) {
    for (const [name, value] of new Headers(taken.headers)) headers.set(name, value);
    return data<AccountAnswer>({ form, result: taken.refused, stepUp: taken.stepUp, ...taken.kept }, { status: taken.status, headers });
  }
  const accepted = { form, result: { status: "success" as const } };
  if ("show" in taken) return data<AccountAnswer>({ ...accepted, ...taken.show }, { headers });
  const done = taken.done ?? form;
  if (isDocument(request)) {
    tellDone(context, done);
    return redirect(url.pathname, { status: 303, headers });
  }
  return data<AccountAnswer>({ ...accepted, done }, { headers });
}

/** Sent by the browser itself, not by a script of ours, which asks for data. */
const isDocument = (request: Request) => !new URL(request.url).pathname.endsWith(".data");

const isStale = ({ code }: Refused) => code === "SESSION_NOT_FRESH" || code === "SESSION_EXPIRED";

async function howToStepUp({ context }: Asking): Promise<"password" | "sign-in"> {
  const { value } = await convexFor(context).preload(api.accounts.mine.getSecurity, {});
  return value.hasPassword ? "password" : "sign-in";
}

async function refusedBy(answer: Response): Promise<Refused> {
  const body: unknown = await answer.json().catch(() => null);
  const text = (name: "code" | "message") => {
    const value = typeof body === "object" && body !== null ? Reflect.get(body, name) : null;
    return typeof value === "string" ? value : "";
  };
  const retryAfter = answer.headers.get("Retry-After");
  return new Refused(inWords(answer.status, retryAfter, text("message")), { status: answer.status, code: text("code"), retryAfter });
}

function inWords(status: number, retryAfter: string | null, message: string): string {
  const seconds = Number(retryAfter);
  if (status === 429 && seconds > 0) return `Too many attempts. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  if (status >= 500) return "The server does not answer. Nothing was changed: try again in a moment.";
  return message || "This did not work. Try again.";
}

function refusal(submission: Submission<unknown>, { message, status, retryAfter }: Refused, field: string): Refusal {
  const errors = field === "" ? { formErrors: [message] } : { fieldErrors: { [field]: [message] } };
  return { refused: reply(submission, errors), status, headers: retryAfter === null ? {} : { "Retry-After": retryAfter } };
}

/** No secret goes back into a page. */
function reply(submission: Submission<unknown>, errors: { fieldErrors?: Record<string, string[]>; formErrors?: string[] } = {}) {
  return submission.reply({ ...errors, hideFields: ["password", "currentPassword", "newPassword", STEP_UP_FIELD] });
}
