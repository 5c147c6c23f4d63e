/** State of one socket in the sync protocol. Each transition updates all its queries to one snapshot. */
import { redactOutcome } from "../auth/redact-outcome.ts";
import { hasExpired } from "../auth/tokens.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import { callWithText } from "../functions/call.ts";
import { requestedComponent } from "../functions/paths.ts";
import type { Call, FunctionRunner, Outcome } from "../functions/types.ts";
import { RequestError } from "../http/errors.ts";
import { DISK_FULL, DiskFullError, OverloadedError } from "../values/errors.ts";
import type { Identity, Timestamp } from "../values/types.ts";
import { identityKey } from "./identity-key.ts";
import {
  actionResponseText,
  authErrorText,
  HEARTBEAT_ANSWER_TEXT,
  HEARTBEAT_EVENT,
  modificationText,
  mutationResponseText,
  ProtocolError,
  removalText,
  transitionText,
  type AddQuery,
  type ClientMessage,
  type Credentials,
  type QueryResult,
  type RemoveQuery,
  type Request,
  type Version,
} from "./messages.ts";
import type { SharedQueries, Subscriber, Watch } from "./shared-queries.ts";
import type { SocketMemory } from "./socket-memory.ts";

export interface ClientConnection {
  send(text: string): void;
  sendTransition(text: string): void;
  readonly writable: boolean;
  readonly memory: Pick<SocketMemory, "set" | "add" | "setAuthenticated">;
  close(reason: string): void;
}

export type SessionOptions = {
  runner: FunctionRunner;
  queries: SharedQueries;
  authenticator: Authenticator;
  connection: ClientConnection;
  redactErrors: boolean;
  report: (error: unknown) => void;
};

type LiveQuery = { watch: Watch; sent: QueryResult | null };

const MAX_QUERIES = 10_000;
const REQUEST_BYTES = 512;

export class SyncSession implements Subscriber {
  identity: Identity = { kind: "none" };
  identityKey = identityKey(this.identity);

  private readonly options: SessionOptions;
  private sessionId: string | null = null;
  private clockSkewMs: number | null = null;
  private version: Version = { querySet: 0, identity: 0, ts: 0n };
  private querySet = 0;
  private identityVersion = 0;
  private readonly live = new Map<number, LiveQuery>();
  private removed: number[] = [];
  /** The commit that the next transition must reach: the client then resolves the mutation's promise. */
  private owed: Timestamp | null = null;
  private closed = false;
  inFlight = 0;

  constructor(options: SessionOptions) {
    this.options = options;
  }

  /** Handles messages in order. @throws {ProtocolError} */
  async receive(message: ClientMessage): Promise<void> {
    if (this.closed) return;
    if (message.type === "Connect") return this.connect(message);
    const { sessionId } = this;
    if (sessionId === null) throw new ProtocolError("The first message must be Connect.");
    switch (message.type) {
      case "ModifyQuerySet":
        return this.modifyQuerySet(message);
      case "Authenticate":
        return this.authenticate(message.baseVersion, message.credentials);
      case "Mutation":
        // Not awaited: the transactor runs a socket's mutations in arrival order.
        void this.mutate(message, sessionId);
        return undefined;
      case "Action":
        void this.act(message);
        return undefined;
      case "Event":
        if (message.eventType === HEARTBEAT_EVENT) this.options.connection.send(HEARTBEAT_ANSWER_TEXT);
        return undefined;
    }
  }

  get writable(): boolean {
    return this.options.connection.writable;
  }

  advance(snapshot: Timestamp): boolean {
    if (this.closed || snapshot < this.version.ts) return true;
    if (this.owed !== null && snapshot < this.owed) return false;
    if (!this.writable) return false;
    const updates: { queryId: number; query: LiveQuery; result: QueryResult }[] = [];
    for (const [queryId, query] of this.live) {
      const result = query.watch.resultAt(snapshot);
      if (!result) return false;
      if (result !== query.sent) updates.push({ queryId, query, result });
    }
    const moved = this.querySet !== this.version.querySet || this.identityVersion !== this.version.identity;
    if (updates.length === 0 && !moved && this.owed === null) return true;
    if (updates.length > 0 && this.endIfExpired()) return true;
    const end: Version = { querySet: this.querySet, identity: this.identityVersion, ts: snapshot };
    const modifications = this.removed.map(removalText);
    for (const { queryId, query, result } of updates) {
      modifications.push(modificationText(queryId, result));
      query.sent = result;
    }
    this.options.connection.sendTransition(transitionText(this.version, end, modifications, this.clockSkewMs));
    this.version = end;
    this.removed = [];
    this.owed = null;
    this.countQueries();
    return true;
  }

  reconnect(): void {
    this.end("InternalServerError: the deployment has changed");
  }

  close(): void {
    this.closed = true;
    for (const { watch } of this.live.values()) this.options.queries.unwatch(watch);
    this.live.clear();
    this.options.queries.removeSubscriber(this);
  }

  private connect(message: Extract<ClientMessage, { type: "Connect" }>): void {
    if (this.sessionId !== null) throw new ProtocolError("Connect was sent twice.");
    this.sessionId = message.sessionId;
    this.clockSkewMs = message.clientTs === null ? null : message.clientTs - Date.now();
  }

  private modifyQuerySet({ baseVersion, newVersion, modifications }: Extract<ClientMessage, { type: "ModifyQuerySet" }>): void {
    if (baseVersion !== this.querySet)
      throw new ProtocolError(`Base version ${baseVersion} passed up doesn't match the current version ${this.querySet}`);
    if (newVersion <= baseVersion) throw new ProtocolError("`newVersion` must be greater than `baseVersion`.");
    for (const modification of modifications) {
      if (modification.type === "Add") this.addQuery(modification);
      else this.removeQuery(modification);
    }
    this.querySet = newVersion;
    this.countQueries();
    this.options.queries.touch(this);
  }

  private countQueries(): void {
    let [argumentBytes, pendingBytes, resultBytes] = [0, 0, 0];
    for (const { watch, sent } of this.live.values()) {
      argumentBytes += watch.argumentBytes;
      if (sent) resultBytes += sent.fields.length;
      else pendingBytes += watch.argumentBytes;
    }
    this.options.connection.memory.set("pending", pendingBytes);
    this.options.connection.memory.set("arguments", argumentBytes);
    this.options.connection.memory.set("results", resultBytes);
  }

  private addQuery({ queryId, udfPath, argsText, journal, componentPath }: AddQuery): void {
    if (this.live.has(queryId)) throw new ProtocolError(`Query ${queryId} was added twice.`);
    if (this.live.size >= MAX_QUERIES) throw new ProtocolError(`A connection can have at most ${MAX_QUERIES} queries.`);
    // For the client, an id removed and added again before the transition is an update.
    this.removed = this.removed.filter((id) => id !== queryId);
    const component = requestedComponent(componentPath);
    this.live.set(queryId, { watch: this.options.queries.watch({ path: udfPath, component, argsText, journal }, this), sent: null });
  }

  private removeQuery({ queryId }: RemoveQuery): void {
    const query = this.live.get(queryId);
    if (!query) throw new ProtocolError(`Query ${queryId} is not in the query set.`);
    this.live.delete(queryId);
    this.removed.push(queryId);
    this.options.queries.unwatch(query.watch);
  }

  private async authenticate(baseVersion: number, credentials: Credentials): Promise<void> {
    if (baseVersion !== this.identityVersion) {
      throw new ProtocolError(`Base version ${baseVersion} passed up doesn't match the current version ${this.identityVersion}`);
    }
    try {
      this.setIdentity(await this.identify(credentials));
    } catch (error) {
      if (!(error instanceof RequestError)) this.options.report(error);
      const message = error instanceof RequestError ? error.message : "Authentication failed";
      this.options.connection.send(authErrorText(message, baseVersion, true));
      this.end("AuthError");
    }
  }

  private async identify(credentials: Credentials): Promise<Identity> {
    const { authenticator } = this.options;
    if (credentials.tokenType === "None") return { kind: "none" };
    if (credentials.tokenType === "User") return authenticator.fromToken(credentials.value);
    return authenticator.fromAdminKey(credentials.value, credentials.impersonating);
  }

  private setIdentity(identity: Identity): void {
    if (this.closed) return;
    this.identity = identity;
    this.identityVersion += 1;
    this.options.connection.memory.setAuthenticated(identity.kind !== "none");
    const key = identityKey(identity);
    if (key !== this.identityKey) {
      this.identityKey = key;
      for (const { watch } of this.live.values()) this.options.queries.reidentify(watch);
    }
    this.options.queries.touch(this);
  }

  private async mutate(request: Request, sessionId: string): Promise<void> {
    const { requestId } = request;
    const caller = this.identity.kind;
    await this.request(request, async () => {
      const outcome = await this.options.runner.mutation(this.call(request), { sessionId, requestId }).catch((error: unknown) => {
        if (!(error instanceof DiskFullError)) throw error;
        // The client would send the mutation again and again on new connections.
        this.options.report(error.message);
        const code = "InsufficientStorage";
        return { ok: false as const, code, message: `${code}: ${DISK_FULL}`, logLines: [], ts: 0n };
      });
      this.answer(mutationResponseText(requestId, this.shown(caller, outcome), outcome.ts));
      if (!outcome.ok || this.closed) return;
      if (this.owed === null || this.owed < outcome.ts) this.owed = outcome.ts;
      this.options.queries.touch(this);
    });
  }

  private async act(request: Request): Promise<void> {
    const caller = this.identity.kind;
    await this.request(request, async () => {
      const outcome = await this.options.runner.action(this.call(request));
      this.answer(actionResponseText(request.requestId, this.shown(caller, outcome)));
    });
  }

  private async request({ argsText }: Request, run: () => Promise<void>): Promise<void> {
    if (this.endIfExpired()) return;
    this.inFlight += 1;
    this.options.connection.memory.add("requests", REQUEST_BYTES + argsText.length);
    try {
      await run();
    } catch (error) {
      // The client reconnects after a pause and sends the request again.
      if (error instanceof OverloadedError) return this.end(error.code);
      this.options.report(error);
      this.end("InternalServerError");
    } finally {
      this.inFlight -= 1;
      this.options.connection.memory.add("requests", -REQUEST_BYTES - argsText.length);
    }
  }

  private shown(caller: Identity["kind"], outcome: Outcome): Outcome {
    return redactOutcome(caller, outcome, this.options.redactErrors);
  }

  private call({ udfPath, argsText, componentPath }: Request): Call {
    const { identity } = this;
    return callWithText(argsText, {
      path: udfPath,
      component: requestedComponent(componentPath),
      identity,
      visibility: identity.kind === "admin" ? "any" : "public",
    });
  }

  private answer(text: string): void {
    if (!this.closed) this.options.connection.send(text);
  }

  private endIfExpired(): boolean {
    if (!hasExpired(this.identity)) return false;
    this.options.connection.send(
      authErrorText("Could not verify OIDC token claim. The token has expired.", Math.max(0, this.identityVersion - 1), false),
    );
    this.end("AuthError");
    return true;
  }

  private end(reason: string): void {
    this.close();
    this.options.connection.close(reason);
  }
}
