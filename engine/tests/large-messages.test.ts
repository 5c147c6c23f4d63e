import { afterAll, beforeAll, expect, it } from "vitest";
import { deployFixture, type Deployed } from "./deployed.ts";
import { connectMessage, openRawSocket } from "./raw-socket.ts";

const CLIENTS = 16;
const body = "x".repeat(4_000_000);

let deployed: Deployed;
let url: string;
beforeAll(async () => {
  deployed = await deployFixture("large-messages");
  ({ url } = deployed.deployment);
});
afterAll(() => deployed.end());

it.each([
  ["Action", "messages:relay", { body }],
  ["Mutation", "messages:send", { channel: "a", body }],
])("answers a large %s of each anonymous websocket", { tags: "slow" }, async (type, udfPath, args) => {
  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => openRawSocket(url)));
  const message = JSON.stringify({ type, requestId: 0, udfPath, args: [args] });
  for (const { send } of sockets) send(connectMessage(), message);
  const reasons: string[] = [];
  for (const { closed } of sockets) void closed.then(({ reason }) => reasons.push(reason));
  const answered = () => sockets.filter(({ received }) => received.some((each) => each.type === `${type}Response`)).length;
  await expect.poll(() => reasons.length + answered()).toBe(CLIENTS);
  expect(reasons).toEqual([]);
  for (const { socket } of sockets) socket.terminate();
});

it(
  "runs some of twelve large anonymous HTTP actions at once and refuses the others",
  { tags: ["@large-http-actions", "slow"] },
  async () => {
    const large = new Uint8Array(19_000_000);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => fetch(`${deployed.deployment.siteUrl}/missing`, { method: "POST", body: large })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(404);
    expect(statuses.filter((status) => status !== 404 && status !== 503)).toEqual([]);
    for (const { body } of answers) await body?.cancel();
  },
);
