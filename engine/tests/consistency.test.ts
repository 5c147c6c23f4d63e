import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployFixture, type Deployed } from "./deployed.ts";
import { addQuery, connectMessage, modifyMessage, openRawSocket, type Received } from "./raw-socket.ts";

const ACCOUNTS = 20;
const TOTAL = ACCOUNTS * 100;
const WRITERS = 64;
const PAGE = 5;

type Page = { page: { n: number; amount: number }[]; continueCursor: string };
type Balance = { amount: number; version: number };

let deployed: Deployed;
let url: string;
let stopWriting: () => Promise<void>;
const acknowledged = Array.from({ length: ACCOUNTS }, () => 0);

beforeAll(async () => {
  deployed = await deployFixture("consistency");
  ({ url } = deployed.deployment);
  await post("mutation", { path: "balances:open", args: { count: ACCOUNTS } });
  stopWriting = await startWriting();
});
afterAll(async () => {
  await stopWriting();
  await deployed.end();
});

async function post<T>(endpoint: string, body: object): Promise<T> {
  const response = await fetch(`${url}/api/${endpoint}`, { method: "POST", body: JSON.stringify({ format: "json", ...body }) });
  const answer: { status: string; value: T } = await response.json();
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.value;
}

const latestTs = async (): Promise<string> => {
  const { ts }: { ts: string } = await (await fetch(`${url}/api/query_ts`, { method: "POST" })).json();
  return ts;
};

async function startWriting(): Promise<() => Promise<void>> {
  const writers = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const { socket, send, closed } = await openRawSocket(url);
      let requestId = 0;
      let pair: [number, number] = [0, 0];
      const transfer = () => {
        const from = (writer + requestId * 7) % ACCOUNTS;
        const to = (from + 1 + ((writer + requestId) % (ACCOUNTS - 1))) % ACCOUNTS;
        pair = [from, to];
        send({ type: "Mutation", requestId, udfPath: "balances:transfer", args: [{ from, to }] });
        requestId += 1;
      };
      socket.on("message", (data: Buffer) => {
        const message: Received & { success?: boolean; result?: number[] } = JSON.parse(data.toString());
        if (message.type !== "MutationResponse") return;
        if (!message.success) throw new Error(JSON.stringify(message));
        pair.forEach((n, i) => (acknowledged[n] = Math.max(acknowledged[n] ?? 0, message.result?.[i] ?? 0)));
        transfer();
      });
      send(connectMessage());
      transfer();
      return { socket, closed };
    }),
  );
  return async () => {
    for (const { socket } of writers) socket.terminate();
    await Promise.all(writers.map(({ closed }) => closed));
  };
}

async function pageArguments() {
  const all: object[] = [];
  for (let cursor: string | null = null; all.length < ACCOUNTS / PAGE;) {
    const args: object = { paginationOpts: { numItems: PAGE, cursor } };
    all.push(args);
    cursor = (await post<Page>("query", { path: "balances:page", args })).continueCursor;
  }
  return all;
}

const amounts = (balances: Iterable<{ amount: number }>) => [...balances].map(({ amount }) => amount);
const added = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

describe("with 64 writers", () => {
  it("shows a query set at one timestamp in every transition", { tags: "slow", timeout: 320_000 }, async () => {
    const pages = await pageArguments();
    const values = new Map<number, unknown>();
    const shown: { single: number; paged: number; sum: unknown; differ: number[] }[] = [];
    const { socket, send } = await openRawSocket(url);
    socket.on("message", (data: Buffer) => {
      const message: { type: string; modifications?: { queryId: number; value: unknown }[] } = JSON.parse(data.toString());
      if (message.type !== "Transition") return;
      for (const { queryId, value } of message.modifications ?? []) values.set(queryId, value);
      const single = Array.from({ length: ACCOUNTS }, (_, n) => values.get(n) as Balance);
      const paged = pages.flatMap((_, i) => (values.get(200 + i) as Page).page);
      const differ = paged.filter(({ n, amount }) => single[n]?.amount !== amount).map(({ n }) => n);
      shown.push({ single: added(amounts(single)), paged: added(amounts(paged)), sum: values.get(100), differ });
    });
    send(
      connectMessage(),
      modifyMessage(
        0,
        ...Array.from({ length: ACCOUNTS }, (_, n) => addQuery(n, "balances:one", { n })),
        addQuery(100, "balances:sum"),
        ...pages.map((args, i) => addQuery(200 + i, "balances:page", args)),
      ),
    );
    await expect.poll(() => shown.length, { timeout: 300_000 }).toBeGreaterThan(50);
    socket.terminate();
    const consistent = { single: TOTAL, paged: TOTAL, sum: TOTAL, differ: [] };
    expect(shown.filter((state) => JSON.stringify(state) !== JSON.stringify(consistent))).toEqual([]);
  });

  it("answers query_at_ts from the state at that timestamp", { tags: "slow" }, async () => {
    const pages = await pageArguments();
    for (let round = 0; round < 30; round += 1) {
      const ts = await latestTs();
      const at = <T>(path: string, args: object) => post<T>("query_at_ts", { path, args, ts });
      const [single, paged, sum] = await Promise.all([
        Promise.all(Array.from({ length: ACCOUNTS }, (_, n) => at<Balance>("balances:one", { n }))),
        Promise.all(pages.map((args) => at<Page>("balances:page", args))),
        at<number>("balances:sum", {}),
      ]);
      expect([added(amounts(single)), sum]).toEqual([TOTAL, TOTAL]);
      expect(amounts(paged.flatMap(({ page }) => page))).toEqual(amounts(single));
    }
  });

  it("never answers a query over HTTP from before an acknowledged mutation", { tags: "slow" }, async () => {
    const tooOld: number[] = [];
    const read = async (reader: number) => {
      for (let i = 0; i < 100; i += 1) {
        const n = (reader + i) % ACCOUNTS;
        const atLeast = acknowledged[n] ?? 0;
        const { version } = await post<Balance>("query", { path: "balances:one", args: { n } });
        if (version < atLeast) tooOld.push(n);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, reader) => read(reader)));
    expect(tooOld).toEqual([]);
  });
});
