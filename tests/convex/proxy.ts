import { createServer } from "node:http";
import * as z from "zod";

export type Call = { path: string; args: unknown };

export type Fate = "pass" | "cut" | { value: null };

export type Proxy = { url: string; close(): void };

const callSchema = z.object({ path: z.string(), args: z.unknown() });

export async function startProxy(target: string, decide: (call: Call) => Fate): Promise<Proxy> {
  const server = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const { data: call } = callSchema.safeParse(body.startsWith("{") ? JSON.parse(body) : null);
      const fate = call ? decide(call) : "pass";
      if (fate === "cut") {
        response.destroy();
        return;
      }
      if (fate !== "pass") {
        response.setHeader("Content-Type", "application/json").end(JSON.stringify({ status: "success", ...fate, logLines: [] }));
        return;
      }
      const headers = new Headers({ "Content-Type": "application/json", "Convex-Client": String(request.headers["convex-client"]) });
      if (request.headers.authorization) headers.set("Authorization", request.headers.authorization);
      const answer = await fetch(target + request.url, { method: request.method ?? "POST", headers, body });
      response.writeHead(answer.status, { "Content-Type": "application/json" }).end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
