/** Route table: exact paths, or prefixes ending in `/*` with the remainder as `rest`. */
import type { IncomingMessage } from "node:http";
import { notFound, RequestError } from "./errors.ts";
import type { Reply } from "./reply.ts";

type Exchange = { request: IncomingMessage; path: string; query: URLSearchParams; rest: string };
export type Handler = (exchange: Exchange) => Promise<Reply> | Reply;
type Method = "GET" | "POST";
export type Routes = { [address: `${Method} /${string}`]: Handler };

export type Router = (request: IncomingMessage) => Promise<Reply>;

/** @throws {RequestError} 404 for an unknown path, 405 for a known one with another method */
export function createRouter(routes: Routes): Router {
  const exact = new Map<string, Map<string, Handler>>();
  const prefixes: { prefix: string; methods: Map<string, Handler> }[] = [];
  for (const [address, handler] of Object.entries(routes)) {
    const [method = "", path = ""] = address.split(" ");
    if (path.endsWith("/*")) {
      const prefix = path.slice(0, -1);
      const existing = prefixes.find((entry) => entry.prefix === prefix);
      if (existing) existing.methods.set(method, handler);
      else prefixes.push({ prefix, methods: new Map([[method, handler]]) });
    } else {
      exact.set(path, (exact.get(path) ?? new Map<string, Handler>()).set(method, handler));
    }
  }

  return async (request) => {
    const { path, query } = split(request.url ?? "/");
    const prefix = exact.has(path) ? undefined : prefixes.find((entry) => path.startsWith(entry.prefix));
    const methods = exact.get(path) ?? prefix?.methods;
    if (!methods) throw notFound(`There is no route ${path}.`);
    const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
    const handler = methods.get(method);
    if (!handler) throw new RequestError(405, "MethodNotAllowed", `The method ${method} is not allowed for ${path}.`);
    return await handler({ request, path, query: new URLSearchParams(query), rest: prefix ? path.slice(prefix.prefix.length) : "" });
  };
}

function split(url: string): { path: string; query: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}
