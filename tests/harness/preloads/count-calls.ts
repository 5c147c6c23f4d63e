import crypto from "node:crypto";
import { appendFileSync } from "node:fs";
import { ClientRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";

/** Preloaded into the server (`node --import`): logs deployment calls and password hashes to COUNTED_CALLS. */
const file = process.env["COUNTED_CALLS"] ?? "";
const note = (what: string) => appendFileSync(file, `${what}\n`);

// oxlint-disable-next-line typescript/unbound-method -- it is called with its own request
ClientRequest.prototype.end = new Proxy(ClientRequest.prototype.end, {
  apply(end, request, given: unknown[]) {
    const body = typeof given[0] === "string" ? given[0] : "";
    const [, path] = /"path":"accounts\/([^"]+)"/.exec(body) ?? [];
    const [, model = ""] = /"model":"([^"]+)"/.exec(body) ?? [];
    if (path) note(`${path} ${model}`.trim());
    return Reflect.apply(end, request, given);
  },
});

crypto.scrypt = new Proxy(crypto.scrypt, {
  apply(scrypt, self, given) {
    note("scrypt");
    return Reflect.apply(scrypt, self, given);
  },
});
syncBuiltinESMExports();
