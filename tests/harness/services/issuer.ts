import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider, { type Configuration } from "oidc-provider";
import { consent, type Identity, interact } from "./oidc.ts";

export const CLIENT_SECRET = "a secret of the client, for tests only";
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
const CALLBACK = "/api/auth/callback/";

type Key = { kid: string; privateKey: CryptoKey };
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export type TestIssuer = {
  url: string;
  clientId: string;
  settings(name: string, others?: Record<string, string>): Record<string, string>;
  person(claims?: Record<string, unknown>): Identity;
  connect(app: string, id: string): Promise<void>;
  consent(authorizationUrl: string, user: Identity): Promise<string>;
  rotateKeys(): Promise<void>;
  /** Changes the claims of later ID tokens. `key`: signs with a key that the issuer does not publish. */
  alter(change: ((claims: JWTPayload) => JWTPayload) | null, key?: "foreign"): void;
  answer(path: string, how: Answer | null): void;
  logoutToken(claims: JWTPayload, options?: { key?: "foreign"; event?: boolean }): Promise<string>;
  requestCount(path: string): number;
  close(): Promise<void>;
};

/** Starts an OpenID Connect issuer (`oidc-provider`) on loopback. `app`: the origin of the app; any port of localhost is accepted. */
export async function startIssuer({ app = "http://localhost", id = "oidc-acme" } = {}): Promise<TestIssuer> {
  const clientId = `atelier ${randomUUID().slice(0, 8)}`;
  const people = new Map<string, Identity>();
  const requests = new Map<string, number>();
  const answers = new Map<string, Answer>();
  const foreign = await makeKey();
  let key = await makeKey();
  let altered: { change: (claims: JWTPayload) => JWTPayload; key: Key | null } | null = null;
  let at = { app, id };
  let provider: Provider;
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown;

  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    requests.set(path, (requests.get(path) ?? 0) + 1);
    const answer = answers.get(path);
    if (answer) answer(request, response);
    else if (path.startsWith("/interaction/")) void interact(provider, request, response);
    else handle(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const url = `http://127.0.0.1:${address.port}`;

  const sign = (claims: JWTPayload, by: Key, typ = "JWT") =>
    new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: by.kid, typ }).sign(by.privateKey);

  async function restart(): Promise<void> {
    provider = new Provider(url, await configurationOf({ ...at, clientId, people, key }));
    provider.on("server_error", (_ctx, error) => console.error(error));
    provider.use(async (ctx, next) => {
      await next();
      const body: unknown = ctx.body;
      const idToken: unknown = typeof body === "object" && body !== null ? Reflect.get(body, "id_token") : null;
      if (!altered || typeof idToken !== "string") return;
      ctx.body = { ...Object(body), id_token: await sign(altered.change(decodeJwt(idToken)), altered.key ?? key) };
    });
    handle = provider.callback();
  }
  await restart();

  return {
    url,
    clientId,
    settings: (name, others = {}) =>
      Object.fromEntries(
        Object.entries({ ISSUER: url, CLIENT_ID: clientId, CLIENT_SECRET, ...others }).map(([suffix, value]) => [
          `OIDC_${name}_${suffix}`,
          value,
        ]),
      ),
    person(claims = {}) {
      const sub = randomUUID();
      const email = `${sub}@example.com`;
      const all = { email, email_verified: true, name: "Grace Hopper", ...claims };
      const identity = { sub, email: typeof all.email === "string" ? all.email : email, claims: all };
      people.set(sub, identity);
      return identity;
    },
    async connect(app, id) {
      at = { app, id };
      await restart();
    },
    consent: (authorizationUrl, user) => consent(url, authorizationUrl, user, false),
    async rotateKeys() {
      key = await makeKey();
      await restart();
    },
    alter(change, by) {
      altered = change && { change, key: by === "foreign" ? { ...foreign, kid: key.kid } : null };
    },
    answer(path, how) {
      if (how) answers.set(path, how);
      else answers.delete(path);
    },
    logoutToken(claims, { key: by, event = true } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = {
        iss: url,
        aud: clientId,
        iat: now,
        exp: now + 120,
        jti: randomUUID(),
        ...(event && { events: { [LOGOUT_EVENT]: {} } }),
        ...claims,
      };
      return sign(all, by === "foreign" ? { ...foreign, kid: key.kid } : key, "logout+jwt");
    },
    requestCount: (path) => requests.get(path) ?? 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function makeKey(): Promise<Key> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  return { kid: randomUUID(), privateKey };
}

type Setup = { app: string; id: string; clientId: string; people: Map<string, Identity>; key: Key };

async function configurationOf({ app, id, clientId, people, key }: Setup): Promise<Configuration> {
  const groups = ["groups"];
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: CLIENT_SECRET,
        grant_types: ["authorization_code", "refresh_token"],
        application_type: "native",
        redirect_uris: [`${app}${CALLBACK}${id}`],
        post_logout_redirect_uris: [`${app}/sign-in`],
        backchannel_logout_uri: `${app}/api/auth/oidc/backchannel-logout/${id}`,
        backchannel_logout_session_required: true,
      },
    ],
    // Claims are in the user info, except when a test alters the ID token.
    conformIdTokenClaims: true,
    scopes: ["openid", "email", "profile"],
    claims: { email: ["email", "email_verified", "xms_edov"], profile: ["name", "preferred_username", "picture", ...groups] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => {
          const confirmed = form.replace("</form>", '<input type="hidden" name="logout" value="yes"/><button>Sign out</button></form>');
          ctx.body = `<!DOCTYPE html><title>Issuer</title>${confirmed}`;
        },
        postLogoutSuccessSource: (ctx) => {
          ctx.body = "<!DOCTYPE html><title>Issuer</title><h1>Signed out</h1>";
        },
      },
    },
    ttl: { AccessToken: 3600, AuthorizationCode: 60, IdToken: 600, RefreshToken: 86_400, Grant: 86_400, Session: 3600, Interaction: 60 },
    // oidc-provider's own pages load fonts from the internet.
    renderError: (ctx, { error, error_description: description }) => {
      ctx.body = `${error}: ${description}`;
    },
    issueRefreshToken: async () => true,
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => {
      const identity = people.get(sub);
      return identity && { accountId: sub, claims: async () => ({ ...identity.claims, sub }) };
    },
    // oidc-provider refuses to send logout tokens to loopback.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
    jwks: { keys: [{ ...(await exportJWK(key.privateKey)), kid: key.kid, alg: "RS256", use: "sig" }] },
    cookies: { keys: ["for tests only"] },
  };
}
