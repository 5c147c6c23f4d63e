import { Socket } from "node:net";

/** Preloaded into the server's processes: prints each name that they look up and each address outside this machine that they connect to. */
const connect: unknown = Reflect.get(Socket.prototype, "connect");
const isHere = (host: string) => /^(?:127\.|::1$|::ffff:127\.|localhost$)/.test(host);

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const tell = (host: string) => void (isHere(host) || process.stdout.write(`reached ${host}\n`));
  this.on("lookup", (_error, _address, _family, host) => tell(host));
  this.on("connectionAttempt", (address) => tell(address));
  if (typeof connect === "function") Reflect.apply(connect, this, args);
  return this;
};
