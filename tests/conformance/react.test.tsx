/** React hooks of the unmodified client against the embedded deployment. `engine/tests/` covers the rest without React. */
import { Window } from "happy-dom";
import {
  Authenticated,
  AuthLoading,
  ConvexProviderWithAuth,
  ConvexReactClient,
  insertAtTop,
  Unauthenticated,
  useAction,
  useConvexConnectionState,
  useMutation,
  usePaginatedQuery,
  useQuery,
} from "convex/react";
import { makeFunctionReference, type PaginationOptions, type PaginationResult } from "convex/server";
import { useEffect, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { deployFixture, type Deployed } from "@atelier/engine/testing/deployed";

type Message = { body: string };
type PageArgs = { channel: string; paginationOpts: PaginationOptions };
const list = makeFunctionReference<"query", { channel: string }, Message[]>("messages:list");
const page = makeFunctionReference<"query", PageArgs, PaginationResult<Message>>("messages:page");
const send = makeFunctionReference<"mutation", { channel: string; body: string }, string>("messages:send");
const relay = makeFunctionReference<"action", { body: string }, string>("messages:relay");
const whoAmI = makeFunctionReference<"query", Record<string, never>, { subject: string } | null>("messages:whoAmI");

let deployed: Deployed;
let root: Root | null = null;
let client: ConvexReactClient;
const sockets: WebSocket[] = [];
const frames: string[] = [];
const window = new Window({ url: "http://app.test/" });

beforeAll(async () => {
  Object.assign(globalThis, { window, document: window.document });
  deployed = await deployFixture("react");
});
afterEach(async () => {
  root?.unmount();
  await client.close();
  window.document.body.replaceChildren();
});
afterAll(async () => {
  await deployed.end();
  await window.happyDOM.close();
  for (const name of ["window", "document"]) Reflect.deleteProperty(globalThis, name);
});

class Tracked extends WebSocket {
  constructor(address: string) {
    super(address);
    sockets.push(this);
  }
  override send(frame: string) {
    frames.push(frame);
    super.send(frame);
  }
}
const connect = () =>
  new ConvexReactClient(deployed.deployment.url, {
    webSocketConstructor: Tracked as unknown as typeof globalThis.WebSocket,
    logger: false,
    unsavedChangesWarning: false,
  });

function show(element: ReactNode): void {
  const container = window.document.body.appendChild(window.document.createElement("div"));
  root = createRoot(container as unknown as Element);
  root.render(element);
}

const text = () => window.document.body.textContent;
async function shows(expected: string): Promise<void> {
  await expect.poll(text).toBe(expected);
}

type Auth = { isLoading: boolean; isAuthenticated: boolean; fetchAccessToken: () => Promise<string | null> };
const signedOut: Auth = { isLoading: false, isAuthenticated: false, fetchAccessToken: () => Promise.resolve(null) };
function within(auth: Auth, children: ReactNode) {
  return (
    <ConvexProviderWithAuth client={client} useAuth={() => auth}>
      {children}
    </ConvexProviderWithAuth>
  );
}

test("usePaginatedQuery grows and splits pages without gaps or repeated rows", async () => {
  client = connect();
  let loadMore: (count: number) => void = () => undefined;
  let add: (message: { channel: string; body: string }) => Promise<unknown> = () => Promise.resolve();
  function Pages() {
    const pages = usePaginatedQuery(page, { channel: "hooks" }, { initialNumItems: 3 });
    const sending = useMutation(send);
    useEffect(() => {
      ({ loadMore } = pages);
      add = sending;
    });
    const { results, status } = pages;
    return `${status}: ${results.map(({ body }) => body).join(" ")}`;
  }
  show(within(signedOut, <Pages />));
  await shows("Exhausted: ");
  const bodies = Array.from({ length: 9 }, (_, i) => `${i}`);
  for (const body of bodies) await add({ channel: "hooks", body });
  await shows(`Exhausted: ${bodies.join(" ")}`);
  expect(frames.filter((frame) => frame.includes('"endCursor":"')).length).toBeGreaterThan(0);
  root?.unmount();

  show(within(signedOut, <Pages />));
  await shows("CanLoadMore: 0 1 2");
  loadMore(3);
  await shows("CanLoadMore: 0 1 2 3 4 5");
  await add({ channel: "hooks", body: "9" });
  await shows("CanLoadMore: 0 1 2 3 4 5");
  loadMore(10);
  await shows(`Exhausted: ${bodies.join(" ")} 9`);
});

test("shows an optimistic update until the server's result replaces it", async () => {
  client = connect();
  const shown: string[] = [];
  let add: (message: { channel: string; body: string }) => Promise<unknown> = () => Promise.resolve();
  function Pages() {
    const { results } = usePaginatedQuery(page, { channel: "optimistic hooks" }, { initialNumItems: 3 });
    const sending = useMutation(send);
    const now = results.map(({ body }) => body).join(" ");
    useEffect(() => {
      add = sending.withOptimisticUpdate((store, { channel }) => {
        insertAtTop({ paginatedQuery: page, argsToMatch: { channel }, localQueryStore: store, item: { body: "expected" } });
      });
    }, [sending]);
    useEffect(() => void shown.push(now), [now]);
    return now;
  }
  show(within(signedOut, <Pages />));
  await client.query(list, { channel: "optimistic hooks" });
  await add({ channel: "optimistic hooks", body: "stored" });
  await shows("stored");
  expect(shown).toEqual(["", "expected", "stored"]);
});

test(
  "components are signed in after the deployment has accepted the token",
  { tags: "@components-learn-sign-once-deployment-has" },
  async () => {
    client = connect();
    let auth: Auth = { ...signedOut, isLoading: true };
    function Who() {
      return `I am ${useQuery(whoAmI, {})?.subject ?? "…"}`;
    }
    const screen = () =>
      within(
        auth,
        <>
          <AuthLoading>loading</AuthLoading>
          <Unauthenticated>nobody</Unauthenticated>
          <Authenticated>
            <Who />
          </Authenticated>
        </>,
      );
    show(screen());
    await shows("loading");
    auth = { isLoading: false, isAuthenticated: true, fetchAccessToken: () => deployed.issuer.token("ada", { expiresIn: 600 }) };
    root?.render(screen());
    await expect.poll(text).toBe("I am ada");
    auth = signedOut;
    root?.render(screen());
    await shows("nobody");
  },
);

test(
  "a token that the deployment rejects leaves the user signed out",
  { tags: "@token-deployment-rejects-leaves-user-signed" },
  async () => {
    client = connect();
    const auth = {
      isLoading: false,
      isAuthenticated: true,
      fetchAccessToken: () => deployed.issuer.token("ada", { audience: "another", expiresIn: 600 }),
    };
    show(
      within(
        auth,
        <>
          <AuthLoading>loading</AuthLoading>
          <Unauthenticated>nobody</Unauthenticated>
          <Authenticated>somebody</Authenticated>
        </>,
      ),
    );
    await expect.poll(text, { timeout: 60_000 }).toBe("nobody");
  },
);

test("reports a cut connection, reconnects, and continues pages", async () => {
  client = connect();
  let run: (args: { body: string }) => Promise<string> = () => Promise.reject(new Error("not shown yet"));
  function Line() {
    const { isWebSocketConnected, connectionCount } = useConvexConnectionState();
    const messages = useQuery(list, { channel: "line" });
    const relaying = useAction(relay);
    useEffect(() => {
      run = relaying;
    });
    return `${isWebSocketConnected} ${connectionCount} ${messages?.length}`;
  }
  show(within(signedOut, <Line />));
  await shows("true 1 0");
  expect(await run({ body: "x" })).toBe("relayed x");
  sockets.at(-1)?.terminate();
  await expect.poll(text).toContain("false 1");
  await expect.poll(text, { timeout: 60_000 }).toBe("true 2 0");
  await client.mutation(send, { channel: "line", body: "after" });
  await shows("true 2 1");
});
