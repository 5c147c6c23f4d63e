import { Agent, request } from "node:http";

const CLIENTS = 8;

export async function requestsPerSecond(url: string, headers: Record<string, string>, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const once = () =>
    new Promise<void>((resolve, reject) => {
      request(url, { agent, headers }, (response) => {
        response.resume();
        response.once("end", () => (response.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${response.statusCode}`))));
      })
        .once("error", reject)
        .end();
    });
  const end = performance.now() + ms;
  const began = performance.now();
  let done = 0;
  const client = async () => {
    while (performance.now() < end) {
      await once();
      done++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
  return (done * 1000) / (performance.now() - began);
}
