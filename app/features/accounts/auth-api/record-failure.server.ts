import type { FunctionArgs } from "convex/server";
import { z } from "zod";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";
import type { Subjects } from "./auth-call.server";
import { createFailureLimit, type FailureLimit } from "./failure-limit.server";

type Failure = FunctionArgs<typeof api.auditLog.recordFailure>;

const SIGN_IN =
  /^\/(?:sign-in\/(?:email|email-otp|social)|magic-link\/verify|callback\/[^/]+|passkey\/verify-authentication|two-factor\/verify-\w[\w-]*)\/?$/;
const PASSWORD =
  /^\/(?:change-password|verify-password|step-up|delete-user|two-factor\/(?:enable|disable|generate-backup-codes|get-totp-uri))$/;

/** Errors of requests whose password or code was not checked. */
const NOT_TRIED = new Set(["VALIDATION_ERROR", "INVALID_EMAIL", "TOO_MANY_REQUESTS", "CONTENT_TOO_LARGE"]);

const refusal = z.object({ code: z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/) });
const CODE = /^[a-z][a-z0-9_]{0,63}$/i;

type Answered = { request: Request; answer: Response; origin: Failure["request"]; subjects: Subjects };

const limits = new WeakMap<AppConfig, FailureLimit>();
const NONE: ReadonlySet<Promise<void>> = new Set();
const pending = new WeakMap<AppConfig, Set<Promise<void>>>();

/** Records a rejected sign-in without the entered address, which may be a mistyped password. Responses do not wait, to reveal nothing. */
export function recordFailure(config: AppConfig, { request, answer: sent, origin, subjects }: Answered): void {
  const path = origin.path ?? "";
  const kind = SIGN_IN.test(path) ? "signIn" : PASSWORD.test(path) ? "password" : null;
  const isRedirect = sent.status === 302;
  if (kind === null || (sent.status < 400 && !isRedirect) || sent.status >= 500) return;
  const answer = sent.clone();
  const run = async () => {
    const reason = isRedirect ? reasonOfRedirect(answer, request) : await reasonOfBody(answer);
    if (reason === null || (kind === "password" && reason !== "INVALID_PASSWORD")) return;
    const userId = kind === "signIn" ? (subjects.get("users") ?? subjects.get("passkeys")) : subjects.get("sessions");
    const limit = limits.get(config) ?? createFailureLimit();
    limits.set(config, limit);
    const { isRecorded, isLast } = await limit({ network: origin.address ?? "", userId });
    if (!isRecorded) return;
    const failure: Failure = { kind, reason, request: { ...origin, userId }, ...(isLast && { isLast }) };
    await serviceConvex(config).mutation(api.auditLog.recordFailure, failure, { skipQueue: true });
  };
  const running = run().catch((error: unknown) => log.warn({ from: "audit log", error }, "a rejected sign-in was not recorded"));
  const all = pending.get(config) ?? new Set();
  pending.set(config, all.add(running));
  void running.finally(() => all.delete(running));
}

export const failuresRecorded = async (config: AppConfig): Promise<void> => void (await Promise.all(pending.get(config) ?? NONE));

async function reasonOfBody(answer: Response): Promise<string | null> {
  const { data } = refusal.safeParse(await answer.json().catch(() => null));
  return data && !NOT_TRIED.has(data.code) ? data.code : null;
}

/** A provider's own error may be any text, which is not stored. */
function reasonOfRedirect(answer: Response, { url }: Request): string | null {
  const location = URL.parse(answer.headers.get("Location") ?? "", url);
  const error = location?.searchParams.get("error") ?? null;
  if (error === null) return null;
  return error === new URL(url).searchParams.get("error") || !CODE.test(error) ? "PROVIDER_ERROR" : error.toUpperCase();
}
