import { Socket } from "node:net";

/**
 * Loaded into the server's processes before them (`NODE_OPTIONS=--import=…`): prints each name that is looked up and each address that is dialled beyond
 * this machine. Where nothing is configured that is none.
 */
const connect: unknown = Reflect.get(Socket.prototype, "connect");
const isHere = (host: string) => /^(?:127\.|::1$|::ffff:127\.|localhost$)/.test(host);

Socket.prototype.connect = function (this: Socket, ...parts: unknown[]): Socket {
  const tell = (host: string) => void (isHere(host) || process.stdout.write(`reached ${host}\n`));
  this.on("lookup", (_error, _address, _family, host) => tell(host));
  this.on("connectionAttempt", (address) => tell(address));
  if (typeof connect === "function") Reflect.apply(connect, this, parts);
  return this;
};
