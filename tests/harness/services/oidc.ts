import { createPrivateKey, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider, { type Configuration } from "oidc-provider";

export type Identity = { sub: string; email: string; claims: Record<string, unknown> };

export type SocialServer = {
  settings: Record<string, string>;
  identity(claims?: Record<string, unknown>, sub?: string): Identity;
  forget(user: Identity): void;
  accessTokenSeconds: number;
  requestCount(path: string): number;
  idToken(user: Identity, nonce?: string): Promise<string>;
  signed(claims: JWTPayload, how?: { alg?: string; secret?: Uint8Array }): Promise<string>;
  publicKey: string;
  redirected: string | null;
  /** Walks through the provider's pages; returns the callback URL. `deny` refuses. */
  consent(authorizationUrl: string, user: Identity, how?: { deny: boolean }): Promise<string>;
  close(): Promise<void>;
};

const CLIENT = { id: "atelier-tests", secret: "a secret of the client, for tests only" };
const KEY_ID = "tests";
const GOOGLE = ["https://accounts.google.com", "https://oauth2.googleapis.com", "https://www.googleapis.com"];
const ROUTES = { authorization: "/o/oauth2/v2/auth", token: "/token", jwks: "/oauth2/v3/certs" };
const GITLAB_PROFILE = "/api/v4/user";
const GITLAB_ROUTES: Record<string, string> = { "/oauth/authorize": ROUTES.authorization, "/oauth/token": ROUTES.token };

/** Starts a real OpenID Connect server (`oidc-provider`) on loopback, reached through `preloads/redirect-hosts.ts` and GITLAB_ISSUER. */
export async function startSocialServer(): Promise<SocialServer> {
  const people = new Map<string, Identity>();
  const requests = new Map<string, number>();
  const state: { accessTokenSeconds: number; redirected: string | null } = { accessTokenSeconds: 3600, redirected: null };
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const provider = await makeProvider(people, () => state.accessTokenSeconds, privateKey);
  const exported = await exportPKCS8(privateKey);
  const answer = provider.callback();

  const server = createServer((request, response) => {
    const [path = "/", query] = (request.url ?? "/").split("?", 2);
    requests.set(path, (requests.get(path) ?? 0) + 1);
    if (path === state.redirected) {
      response.writeHead(307, { Location: `/moved${request.url}` }).end();
      return;
    }
    if (path.startsWith("/moved/")) request.url = (request.url ?? "").slice("/moved".length);
    const route = GITLAB_ROUTES[path];
    if (route) request.url = query === undefined ? route : `${route}?${query}`;
    if (path.startsWith("/interaction/")) void interact(provider, request, response);
    else if (path === GITLAB_PROFILE) void profile(provider, people, request, response);
    else void answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const origin = `http://127.0.0.1:${address.port}`;

  return {
    settings: {
      NODE_OPTIONS: `--import ${new URL("../preloads/redirect-hosts.ts", import.meta.url)}`,
      REDIRECT_HOSTS: JSON.stringify(Object.fromEntries(GOOGLE.map((host) => [host, origin]))),
      GOOGLE_CLIENT_ID: CLIENT.id,
      GOOGLE_CLIENT_SECRET: CLIENT.secret,
      GITLAB_CLIENT_ID: CLIENT.id,
      GITLAB_CLIENT_SECRET: CLIENT.secret,
      GITLAB_ISSUER: origin,
    },
    identity(claims = {}, sub = randomUUID()) {
      const email = `${sub}@example.com`;
      const userInfo = { email, email_verified: true, name: "Grace Hopper", id: sub, username: "grace", state: "active", ...claims };
      const identity = { sub, email: typeof userInfo.email === "string" ? userInfo.email : email, claims: userInfo };
      people.set(sub, identity);
      return identity;
    },
    forget: ({ sub }) => void people.delete(sub),
    get accessTokenSeconds() {
      return state.accessTokenSeconds;
    },
    set accessTokenSeconds(seconds) {
      state.accessTokenSeconds = seconds;
    },
    get redirected() {
      return state.redirected;
    },
    set redirected(path) {
      state.redirected = path;
    },
    idToken: (user, nonce) => idToken(origin, user, nonce),
    signed: (claims, { alg = "RS256", secret } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: KEY_ID }).sign(secret ?? createPrivateKey(exported)),
    publicKey: await exportSPKI(publicKey),
    requestCount: (path) => requests.get(path) ?? 0,
    consent: (authorizationUrl, user, how) => consent(origin, authorizationUrl, user, how?.deny ?? false),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function makeProvider(people: Map<string, Identity>, accessTokenSeconds: () => number, privateKey: CryptoKey): Promise<Provider> {
  const configuration: Configuration = {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        token_endpoint_auth_method: "client_secret_post",
        grant_types: ["authorization_code", "refresh_token"],
        // A native client accepts any loopback port; the app's port is not known yet (RFC 8252, 7.3).
        application_type: "native",
        redirect_uris: ["google", "gitlab"].map((id) => `http://localhost/api/auth/callback/${id}`),
      },
    ],
    conformIdTokenClaims: false,
    scopes: ["openid", "email", "profile", "read_user"],
    claims: {
      email: ["email", "email_verified"],
      profile: ["name", "picture"],
      read_user: ["id", "username", "state", "name", "email", "email_verified"],
    },
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
    routes: ROUTES,
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: 60,
      IdToken: 600,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 60,
      Interaction: 60,
    },
    issueRefreshToken: async () => true,
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => {
      const identity = people.get(sub);
      return identity && { accountId: sub, claims: async () => ({ ...identity.claims, sub }) };
    },
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, alg: "RS256", use: "sig" }] },
    cookies: { keys: [randomUUID()] },
  };
  const provider = new Provider("https://accounts.google.com", configuration);
  provider.on("server_error", (_ctx, error) => console.error(error));
  return provider;
}

export async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const accountId = String(request.headers["x-person"]);
  if (request.headers["x-deny"]) {
    return provider.interactionFinished(request, response, { error: "access_denied", error_description: "The person said no" });
  }
  const { params } = await provider.interactionDetails(request, response);
  const grant = new provider.Grant({ accountId, clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

async function idToken(origin: string, user: Identity, nonce?: string): Promise<string> {
  const redirect_uri = "http://localhost/api/auth/callback/google";
  const asking = {
    client_id: CLIENT.id,
    redirect_uri,
    response_type: "code",
    scope: "openid email profile",
    ...(nonce !== undefined && { nonce }),
  };
  const back = new URL(await consent(origin, `${origin}${ROUTES.authorization}?${new URLSearchParams(asking)}`, user, false));
  const code = back.searchParams.get("code") ?? "";
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri,
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
  });
  const tokens: unknown = await (await fetch(origin + ROUTES.token, { method: "POST", body })).json();
  const token: unknown = typeof tokens === "object" && tokens !== null ? Reflect.get(tokens, "id_token") : null;
  if (typeof token !== "string") throw new Error(`The provider gave ${JSON.stringify(tokens)}`);
  return token;
}

async function profile(
  provider: Provider,
  people: Map<string, Identity>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = await provider.AccessToken.find(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
  const user = token && people.get(token.accountId);
  response.writeHead(user ? 200 : 401, { "Content-Type": "application/json" }).end(JSON.stringify(user?.claims ?? {}));
}

export async function consent(origin: string, authorizationUrl: string, user: Identity, deny: boolean): Promise<string> {
  const jar = new Map<string, string>();
  const { pathname, search } = new URL(authorizationUrl);
  let url = new URL(pathname + search, origin);
  for (let step = 0; step < 6; step++) {
    const headers = {
      Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      "X-Person": user.sub,
      ...(deny && { "X-Deny": "yes" }),
    };
    const response = await fetch(url, { redirect: "manual", headers });
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split(/=(.*)/s);
      jar.set(name, value);
    }
    const location = response.headers.get("Location");
    if (location === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    const next = new URL(location, url);
    if (next.pathname.startsWith("/api/auth/")) return next.href;
    url = new URL(next.pathname + next.search, origin);
  }
  throw new Error("The provider redirects in a loop");
}
