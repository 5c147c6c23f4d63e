import { decodeJwt } from "jose";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SERVICE_AUDIENCE, TOKEN_ISSUER, USER_AUDIENCE } from "~/config";
import { testConfig } from "~/lib/http/testing";
import { createTokenVerifier } from "@atelier/engine/tokens";
import { jwksUri, signServiceToken, signUserToken, USER_TOKEN_SECONDS } from "../session/convex/tokens.server";

const key = testConfig.signingKey;
const user = { id: "u1", name: "Ada", email: "ada@example.com", emailVerified: true, image: null };
const CONVEX_TOLERANCE_SECONDS = 5;

const verifier = createTokenVerifier();
verifier.configure(
  [USER_AUDIENCE, SERVICE_AUDIENCE].map((applicationID) => ({
    type: "customJwt",
    issuer: TOKEN_ISSUER,
    applicationID,
    jwks: jwksUri(key),
    algorithm: "ES256",
  })),
  (problem) => expect.fail(String(problem)),
);

async function verify(token: string): Promise<void> {
  const { iat = Number.NaN, exp = Number.NaN } = decodeJwt(token);
  const now = Date.now() / 1000;
  if (!(iat <= now + CONVEX_TOLERANCE_SECONDS)) throw new Error("The token was issued in the future.");
  if (!(exp > now)) throw new Error("The token has expired.");
  await verifier.verify(token);
}

const version = (identity: number) => ({ querySet: 0, identity, ts: "AAAAAAAAAAA=" });

class Socket extends EventTarget {
  static held: string | null = null;
  static refused = 0;
  static pending: Promise<void> = Promise.resolve();
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: object) => void) | null = null;
  constructor() {
    super();
    queueMicrotask(() => this.onopen?.());
  }
  send(text: string) {
    const { type, value, baseVersion } = JSON.parse(text);
    if (type !== "Authenticate") return;
    Socket.pending = Socket.pending.then(async () => {
      try {
        await verify(value);
        Socket.held = value;
        this.answer({ type: "Transition", startVersion: version(baseVersion), endVersion: version(baseVersion + 1), modifications: [] });
      } catch (error) {
        Socket.refused++;
        this.answer({ type: "AuthError", error: String(error), baseVersion, authUpdateAttempted: true });
      }
    });
  }
  answer(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  close() {
    this.onclose?.({});
  }
}

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("document", {});
  Object.assign(Socket, { held: null, refused: 0, pending: Promise.resolve() });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function withSkew<Result>(seconds: number, sign: () => Result): Result {
  const now = Date.now();
  vi.setSystemTime(now + seconds * 1000);
  const result = sign();
  vi.setSystemTime(now);
  return result;
}

for (const skew of [30, -30]) {
  it(`keeps a page live for two token lifetimes with a server clock off by ${skew} s`, async () => {
    const { browserConvex } = await import("~/lib/data/connection/convex-browser-client");
    const convex = browserConvex({ kind: "direct", url: "https://atelier.example" });
    let fetches = 0;
    let fetching: Promise<unknown> = Promise.resolve();
    const fetchToken = () => {
      fetches++;
      const inAWeek = new Date(Date.now() + 7 * 24 * 3_600_000);
      const token = withSkew(skew, () => signUserToken(key, { userId: user.id, sessionId: "s1", user }, inAWeek));
      fetching = token;
      return token;
    };
    const states: boolean[] = [];
    convex.setAuth(fetchToken, (isAuthenticated) => states.push(isAuthenticated));

    let lapsedSeconds = 0;
    for (let second = 0; second <= 2 * USER_TOKEN_SECONDS; second++) {
      await fetching;
      await vi.advanceTimersByTimeAsync(0);
      await Socket.pending;
      await vi.advanceTimersByTimeAsync(1000);
      if (Socket.held !== null && Number(decodeJwt(Socket.held).exp) <= Date.now() / 1000) lapsedSeconds++;
    }
    expect({ isAuthenticated: new Set(states), refused: Socket.refused, lapsedSeconds }).toEqual({
      isAuthenticated: new Set([true]),
      refused: 0,
      lapsedSeconds: 0,
    });
    expect(fetches).toBe(3);
    await convex.close();
  });

  it(`accepts the app server's own token with its clock off by ${skew} s`, async () => {
    await expect(verify(await withSkew(skew, () => signServiceToken(key)))).resolves.toBeUndefined();
  });
}
