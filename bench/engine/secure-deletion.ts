import { readFileSync } from "node:fs";
import { cpuMs } from "../../tests/harness/processes.ts";
import { perSecond, SyncClient } from "../clients.ts";
import { push, removeFolder, startDeployment, temporaryFolder, type Server } from "../deployment.ts";
import { median, ratio, rounded, type Figure } from "../report.ts";

const SOCKETS = 16;
const IN_FLIGHT = 64;
const ROUNDS = 7;
const ROUND_MS = 3_000;
const KEYS = 2_000;
const WORDS = Array.from({ length: 500 }, (_, index) => `word${index.toString(36)}`);

type Round = { rate: number; cpu: number; written: number };

export async function secureDeletion(): Promise<Figure[]> {
  const folders = ["with", "without"].map((name) => temporaryFolder(name));
  const [withFolder = "", withoutFolder = ""] = folders;
  const servers = [await startDeployment(withFolder), await startDeployment(withoutFolder, "without-secure-deletion.ts")];
  const figures: Figure[] = [];
  const loads = [];
  for (const server of servers) {
    await push(server);
    loads.push(await load(server));
  }
  for (const deleting of [false, true]) {
    const rounds: [Round[], Round[]] = [[], []];
    for (let round = -1; round < ROUNDS; round++)
      for (const [index, { run }] of loads.entries()) {
        const result = await run(deleting, ROUND_MS);
        if (round >= 0) rounds[index === 0 ? 0 : 1].push(result);
      }
    const [ours, theirs] = rounds.map((all) => median(all.map(({ rate }) => rate)));
    const cpu = rounds.map((all) => `${(1000 * median(all.map((each) => each.cpu))).toFixed(0)} µs`);
    const written = rounds.map((all) => `${median(all.map((each) => each.written)).toFixed(1)} KiB`);
    const what = deleting ? "insert and delete" : "insert";
    figures.push(
      { name: `${what}: mutations per second (without, with)`, value: `${rounded(theirs ?? NaN)} and ${rounded(ours ?? NaN)}` },
      { name: `${what}: CPU time per mutation (without, with)`, value: cpu.toReversed().join(" and ") },
      { name: `${what}: bytes written per mutation (without, with)`, value: written.toReversed().join(" and ") },
      ratio(`${what}: with ÷ without`, ours ?? NaN, theirs ?? NaN, deleting ? 0.5 : 0.8),
    );
  }
  for (const { close } of loads) close();
  await Promise.all(servers.map((server) => server.stop()));
  folders.forEach(removeFolder);
  return figures;
}

async function load(server: Server) {
  const clients = await Promise.all(Array.from({ length: SOCKETS }, () => SyncClient.open(server.url)));
  let count = 0;
  const text = () => Array.from({ length: 8 }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(" ");
  return {
    run: async (deleting: boolean, ms: number): Promise<Round> => {
      const before = { cpu: cpuMs(server.child.pid), written: writtenKiB(server) };
      const from = count;
      const lane = (index: number) =>
        clients[index % SOCKETS]?.mutate("notes:add", { key: count++ % KEYS, text: text(), deleting }) ?? Promise.resolve();
      const rate = await perSecond(IN_FLIGHT, ms, lane);
      const each = (sum: number) => sum / (count - from);
      return { rate, cpu: each(cpuMs(server.child.pid) - before.cpu), written: each(writtenKiB(server) - before.written) };
    },
    close: () => clients.forEach((client) => client.close()),
  };
}

function writtenKiB({ child }: Server): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, "utf8"))?.[1] ?? 0) / 1024;
}
