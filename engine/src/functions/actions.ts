/**
 * Actions as the main thread sees them: starts the actions thread when it is first needed, answers what running actions ask of the
 * database, and lets a thread of older code finish what it runs.
 */
import { shownTo } from "../auth/shown.ts";
import type { Identity } from "../values/types.ts";
import type { ActionsHost } from "./action-syscalls.ts";
import type { HttpResponse } from "./actions-protocol.ts";
import { ActionsThread } from "./actions-thread.ts";
import { limitedStream, MAX_HTTP_BODY_BYTES } from "./body-limit.ts";
import { outcomeOf } from "./outcomes.ts";
import { shownPath } from "./paths.ts";
import type { LoadedCode, WireOutcome, WireRun } from "./protocol.ts";
import { newRequestId } from "./request-id.ts";
import type { Call, Outcome } from "./types.ts";

export class Actions {
  readonly #host: ActionsHost;
  #code: { code: LoadedCode; env: Record<string, string> } | null = null;
  #thread: ActionsThread | null = null;
  readonly #retiring = new Set<ActionsThread>();

  constructor(host: ActionsHost) {
    this.#host = host;
  }

  /** Calls from now on run the new code, those that run go on with theirs. */
  changeOver(code: LoadedCode | null, env: Record<string, string>): void {
    this.#code = code && { code, env };
    const old = this.#thread;
    this.#thread = null;
    if (!old) return;
    this.#retiring.add(old);
    void old.retire().finally(() => this.#retiring.delete(old));
  }

  async run(call: Call, jobId: string | null = null): Promise<Outcome> {
    const args = JSON.stringify(call.args);
    const startedAt = Date.now();
    const started = performance.now();
    const requestId = newRequestId();
    const outcome = await this.#outcome(call, args, { jobId, requestId });
    const durationMs = performance.now() - started;
    const facts = {
      path: shownPath(call.path),
      type: "action",
      startedAt,
      durationMs,
      readIdentity: true,
      journal: null,
      requestId,
    } as const;
    const run: WireRun = { outcome, facts, ts: 0n };
    this.#host.log(run, call.identity.kind);
    return outcomeOf(run);
  }

  /** An HTTP action's response, or the 404 of a path that has none, or the 500 of one that failed, told as other functions' failures are. */
  async runHttp(request: Request, identity: Identity): Promise<Response> {
    if (!this.#code || this.#code.code.analysis.httpRoutes.length === 0)
      return new Response("This Convex deployment does not have HTTP actions enabled.", { status: 404 });
    const startedAt = Date.now();
    const started = performance.now();
    const requestId = newRequestId();
    const body = request.body && limitedStream(request.body, MAX_HTTP_BODY_BYTES);
    const { method, url } = request;
    const ended = await this.#ready(this.#code).http({ method, url, headers: [...request.headers], body }, { identity, requestId });
    const path = ended.kind === "response" ? ended.route : `${method} ${new URL(url).pathname}`;
    const { logLines } = ended;
    const message = ended.kind === "failed" ? ended.message : "The HTTP action ended without a response.";
    const outcome: WireOutcome = ended.kind === "response" ? { ok: true, text: "null", logLines } : { ok: false, message, logLines };
    const facts = {
      path,
      type: "httpAction",
      startedAt,
      durationMs: performance.now() - started,
      readIdentity: true,
      journal: null,
      requestId,
    } as const;
    this.#host.log({ outcome, facts, ts: 0n }, identity.kind);
    if (ended.kind === "response") return toResponse(ended.response);
    const shown = shownTo(identity.kind, { ok: false, message, logLines, requestId });
    const [code, ...trace] = shown.message.split("\n");
    return Response.json({ code, trace: trace.join("\n") }, { status: 500 });
  }

  async close(): Promise<void> {
    const threads = [...this.#retiring, ...(this.#thread ? [this.#thread] : [])];
    this.#thread = null;
    await Promise.all(threads.map((thread) => thread.end()));
  }

  async #outcome(call: Call, args: string, { jobId, requestId }: { jobId: string | null; requestId: string }): Promise<WireOutcome> {
    const { ask } = this.#host;
    const refused = await ask("checkAction", { path: call.path, args, visibility: call.visibility });
    if (refused !== null || !this.#code) return { ok: false, message: refused ?? "No code has been pushed.", logLines: [] };
    const ended = await this.#ready(this.#code).action({ path: call.path, args, identity: call.identity, jobId, requestId });
    const { logLines } = ended;
    if (ended.kind === "failed") return { ok: false, message: ended.message, data: ended.data, logLines };
    if (ended.kind === "response") throw new Error("An action answered with an HTTP response.");
    const fault = await ask("checkActionResult", { path: call.path, text: ended.text });
    return fault === null ? { ok: true, text: ended.text, logLines } : { ok: false, message: fault, logLines };
  }

  #ready({ code, env }: { code: LoadedCode; env: Record<string, string> }): ActionsThread {
    if (!this.#thread || this.#thread.ended) this.#thread = new ActionsThread(code, env, this.#host);
    return this.#thread;
  }
}

function toResponse({ status, statusText, headers, body }: HttpResponse): Response {
  return new Response(body, { status, statusText, headers });
}
