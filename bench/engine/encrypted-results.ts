import { cpuMs } from "../../tests/harness/processes.ts";
import { perSecond, SyncClient } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder } from "../deployment.ts";
import { median, rounded, type Figure } from "../report.ts";

const SOCKETS = 16;
const IN_FLIGHT = 64;
const ROUNDS = 7;
const ROUND_MS = 2_000;
const TEXT = "a name of an item ".repeat(8);

const SIDES = [
  { answers: true, rates: [] as number[], cpu: [] as number[] },
  { answers: false, rates: [] as number[], cpu: [] as number[] },
];

export async function encryptedResults(): Promise<Figure[]> {
  const folder = temporaryFolder("results");
  const server = await startDeployment(folder);
  await push(server);
  const clients = await Promise.all(Array.from({ length: SOCKETS }, () => SyncClient.open(server.url)));
  for (let round = -1; round < ROUNDS; round++)
    for (const { answers, rates, cpu } of SIDES) {
      const before = cpuMs(server.child.pid);
      let done = 0;
      const rate = await perSecond(IN_FLIGHT, ROUND_MS, async (lane) => {
        await clients[lane % SOCKETS]?.mutate("notes:rename", { text: TEXT, answers });
        done++;
      });
      if (round < 0) continue;
      rates.push(rate);
      cpu.push((cpuMs(server.child.pid) - before) / done);
    }
  clients.forEach((client) => client.close());
  await server.stop();
  removeFolder(folder);
  const [ours = NaN, theirs = NaN] = SIDES.map(({ rates }) => median(rates));
  const cpu = SIDES.map((side) => `${(1000 * median(side.cpu)).toFixed(0)} µs`).toReversed();
  return [
    { name: "mutations per second (null, 144 encrypted bytes)", value: `${rounded(theirs)} and ${rounded(ours)}` },
    { name: "CPU time per mutation (null, encrypted)", value: cpu.join(" and ") },
    { name: "encrypted ÷ null", value: (ours / theirs).toFixed(2) },
  ];
}
