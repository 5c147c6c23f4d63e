import type { Submission, SubmissionResult } from "@conform-to/react";
import { data, redirect, redirectDocument } from "react-router";
import type { z } from "zod";
import { convexFor } from "~/lib/data/convex.server";
import { FORM_FIELD, INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { parseForm } from "~/lib/forms/parse-form.server";
import { isDocumentRequest, type ActionRequest } from "~/lib/forms/is-document-request.server";
import { badForm } from "~/lib/http/forms/field-names";
import { setFlashCode } from "~/lib/http/middleware/flash.server";
import { readFormData } from "~/lib/http/forms/form.server";
import { api } from "#convex/_generated/api";
import { type AccountAnswer, STEP_UP_FIELD } from "./account-answer";
import { postToAuth, relayCookies } from "./auth-api/auth-request.server";
import { formErrors, Rejection, rejectionOf } from "./rejection.server";
import { safeRedirectPath } from "./session/safe-redirect";
import { redirectToSignIn } from "./session/session.server";

export type FormRequest = ActionRequest & {
  headers: Headers;
  /** Posts to an endpoint below /api/auth and relays its cookies. Throws `Rejection`, or a redirect to sign-in for an ended session. */
  post: (path: `/${string}`, body?: Record<string, unknown>) => Promise<unknown>;
};

/** `done`: the message to show. `show`: data for the page. `leave`: a full page load, because the user or session has changed. */
type Outcome = { done?: string } | { show: DisplayedData } | { leave: string; done?: string };

type DisplayedData = Pick<AccountAnswer, "setup" | "codes" | "leaveFor" | "accessToken" | "invitationLink">;

type Rejected = {
  rejected: SubmissionResult;
  status: number;
  headers?: HeadersInit;
  stepUp?: AccountAnswer["stepUp"];
  retained?: DisplayedData;
};

type Result = (Outcome & { values?: Record<string, string> }) | Rejected;

export type AccountIntent = (sent: FormData, request: FormRequest) => Promise<Result>;

type IntentSpec<Schema extends z.ZodObject> = {
  schema: Schema;
  otherFields?: readonly string[];
  run: (fields: z.output<Schema>, request: FormRequest) => Promise<Outcome>;
  /** Maps Better Auth's error codes to fields; "*" matches all others. Default: the whole form. */
  fieldOf?: Readonly<Record<string, string>>;
  retain?: (sent: FormData) => DisplayedData;
};

export function accountIntent<Schema extends z.ZodObject>({
  schema,
  otherFields = [],
  run,
  fieldOf = {},
  retain,
}: IntentSpec<Schema>): AccountIntent {
  return async (sent, request) => {
    const submission = parseForm(sent, schema, [STEP_UP_FIELD, ...otherFields]);
    const retained = retain?.(sent);
    if (submission.status !== "success") return { rejected: replyTo(submission), status: 422, retained };
    const rejected = (error: unknown, fields: Readonly<Record<string, string>>): Rejected => {
      if (!(error instanceof Rejection)) throw error;
      const { status, retryAfter } = error;
      const errors = formErrors(error, Object.keys(schema.shape), fields);
      return { rejected: replyTo(submission, errors), status, ...(retryAfter !== null && { headers: { "Retry-After": retryAfter } }) };
    };
    try {
      if (sent.has(STEP_UP_FIELD)) await request.post("/step-up", { password: textOf(sent, STEP_UP_FIELD) });
    } catch (error) {
      return { ...rejected(error, { INVALID_PASSWORD: STEP_UP_FIELD }), stepUp: "password" };
    }
    try {
      return { ...(await run(submission.value, request)), values: valuesOf(submission) };
    } catch (error) {
      if (isStale(error)) return { rejected: replyTo(submission), status: 403, stepUp: await stepUpMethod(request) };
      return { ...rejected(error, fieldOf), retained };
    }
  };
}

export const accountAction = (intents: Readonly<Record<string, AccountIntent>>) => async (sent: ActionRequest) => {
  const form = await readFormData(sent.request);
  const name = textOf(form, INTENT_FIELD);
  const intent = Object.hasOwn(intents, name) ? intents[name] : undefined;
  if (!intent) throw badForm();
  const request = formRequest(sent);
  return respond(await intent(form, request), textOf(form, FORM_FIELD), request);
};

type AuthForm<Schema extends z.ZodObject> = Pick<IntentSpec<Schema>, "schema" | "otherFields"> & {
  path: `/${string}`;
  body: (fields: z.output<Schema>) => Record<string, unknown>;
  target?: (answer: unknown) => string;
  staysOnPage?: boolean;
};

export async function authFormAction<Schema extends z.ZodObject>(
  sent: ActionRequest,
  { schema, otherFields: others, path, body, target, staysOnPage: stays = false }: AuthForm<Schema>,
) {
  const intent = accountIntent({
    schema,
    otherFields: others,
    async run(fields, { post, url }) {
      const answer = await post(path, body(fields));
      if (stays) return { show: {} };
      return { leave: target ? target(answer) : safeRedirectPath(url.searchParams.get("redirectTo")) };
    },
  });
  const request = formRequest(sent, { signedIn: false });
  return respond(await intent(await readFormData(sent.request), request), "", request);
}

export function formRequest(sent: ActionRequest, { signedIn = true } = {}): FormRequest {
  const headers = new Headers();
  return {
    ...sent,
    headers,
    async post(path, body) {
      const response = await postToAuth(sent, path, body);
      relayCookies(response, headers);
      if (response.ok) return response.json();
      // Better Auth answers a wrong code with 401, too.
      if (signedIn && response.status === 401 && path !== "/two-factor/verify-totp") throw redirectToSignIn(sent.request);
      throw await rejectionOf(response);
    },
  };
}

/** Answers a form. Without JavaScript, success redirects (303), so that a reload sends nothing twice. */
export function respond(result: Result, form: string, { request, context, url, headers }: FormRequest) {
  if ("leave" in result) {
    if (result.done !== undefined) setFlashCode(context, result.done, result.leave);
    return redirectDocument(result.leave, { status: 303, headers });
  }
  if ("rejected" in result) {
    for (const [name, value] of new Headers(result.headers)) headers.set(name, value);
    const { rejected, status, stepUp, retained } = result;
    return data<AccountAnswer>({ form, result: rejected, stepUp, ...retained }, { status, headers });
  }
  const accepted: AccountAnswer = { form, result: { status: "success", initialValue: result.values } };
  if ("show" in result) return data<AccountAnswer>({ ...accepted, ...result.show }, { headers });
  const done = result.done ?? form;
  if (!isDocumentRequest(request)) return data<AccountAnswer>({ ...accepted, done }, { headers });
  setFlashCode(context, done, url.pathname);
  return redirect(url.pathname, { status: 303, headers });
}

const isStale = (error: unknown) => error instanceof Rejection && (error.code === "SESSION_NOT_FRESH" || error.code === "SESSION_EXPIRED");

async function stepUpMethod({ context }: FormRequest): Promise<"password" | "sign-in"> {
  const { value } = await convexFor(context).preload(api.accounts.mine.getSecurity, {});
  return value.hasPassword ? "password" : "sign-in";
}

const SECRETS = ["password", "currentPassword", "newPassword", STEP_UP_FIELD];

function replyTo(submission: Submission<unknown>, fieldErrors: Record<string, string[]> = {}): SubmissionResult {
  return submission.reply({ ...(Object.keys(fieldErrors).length > 0 && { fieldErrors }), hideFields: SECRETS });
}

const valuesOf = ({ payload }: Submission<unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]) => (typeof value === "string" && !SECRETS.includes(name) ? [[name, value]] : [])),
  );
