import { ADMIN_KEY, type Server } from "./deployment.ts";

export const callBody = (path: string, args: object): string => JSON.stringify({ path, args: [args], format: "convex_encoded_json" });

export const mutate = (server: Server, path: string, args: object): Promise<unknown> => call(server, "mutation", path, args);

export const query = <T>(server: Server, path: string, args: object): Promise<T> => call(server, "query", path, args);

async function call<T>({ url }: Server, kind: "query" | "mutation", path: string, args: object): Promise<T> {
  const response = await fetch(`${url}/api/${kind}`, { method: "POST", body: callBody(path, args) });
  const answer: { status: string; value: T } = await response.json();
  if (answer.status !== "success") throw new Error(JSON.stringify(answer));
  return answer.value;
}

export async function runsSince({ url }: Server, cursor: number, path: string): Promise<{ runs: number; cursor: number }> {
  const response = await fetch(`${url}/api/stream_function_logs?cursor=${cursor}`, { headers: { Authorization: `Convex ${ADMIN_KEY}` } });
  const { entries, newCursor }: { entries: { identifier: string }[]; newCursor: number } = await response.json();
  return { runs: entries.filter(({ identifier }) => identifier === path).length, cursor: newCursor };
}
