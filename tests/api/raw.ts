import { request } from "node:http";

/** A link opened in a browser. */
export const followedByPerson = (origin: string, path: string) =>
  raw(origin + path, { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none" });

/** Posts the body, or gets what is there. */
export async function raw(url: string, headers: Record<string, string>, body?: string) {
  const { hostname, port, pathname, search } = new URL(url);
  // Not fetch: it adds Fetch-Metadata of its own.
  return new Promise<{ status: number; location: string | null; retryAfter: string | null; text: string }>((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path: pathname + search,
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
