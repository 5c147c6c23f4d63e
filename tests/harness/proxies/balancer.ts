import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";

const STORED_ON_ONE_SERVER = /^\/(uploads|share)(?!\w)/;

export async function startBalancer(port: number, targets: () => number[]): Promise<{ served: () => number[]; close(): Promise<void> }> {
  const served: number[] = [];
  let turn = 0;
  const choose = ({ url }: IncomingMessage, ports: number[]) => (STORED_ON_ONE_SERVER.test(url ?? "") ? 0 : turn++ % ports.length);
  const server = createServer((request, response) => {
    const ports = targets();
    const index = choose(request, ports);
    served[index] = (served[index] ?? 0) + 1;
    const headers = { ...request.headers, "x-forwarded-for": request.socket.remoteAddress ?? "" };
    const onward = httpRequest({ host: "127.0.0.1", port: ports[index], path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await once(server.listen(port, "127.0.0.1"), "listening");
  return {
    served: () => served,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
