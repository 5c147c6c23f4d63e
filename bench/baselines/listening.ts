import type { Server } from "node:http";

export function listening(server: Server, close: () => void): void {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.({ url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}` });
  });
  const end = () => {
    close();
    process.exit(0);
  };
  process.once("SIGTERM", end);
  process.once("disconnect", end);
}
