import { request } from "node:http";

export const followedByPerson = (origin: string, path: string) =>
  raw(origin + path, { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none" });

export async function raw(url: string, headers: Record<string, string>, body?: string) {
  const { origin, pathname, search } = new URL(url);
  return rawPath(origin, pathname + search, headers, body);
}

export async function rawPath(origin: string, path: string, headers: Record<string, string> = {}, body?: string) {
  const { hostname, port } = new URL(origin);
  return new Promise<{ status: number; location: string | null; retryAfter: string | null; text: string }>((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path,
        method: body === undefined ? "GET" : "POST",
        headers: { ...headers, ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }) },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.once("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            location: answer.headers.location ?? null,
            retryAfter: answer.headers["retry-after"] ?? null,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}
