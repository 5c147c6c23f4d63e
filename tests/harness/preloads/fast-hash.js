// JavaScript, because Node would load its compiler for a preloaded TypeScript file in each process.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

/** Preloaded into the server (`node --import`): hashes test users' passwords cheaply. One hash takes 0.1 s of processor time. */
const PREFIX = "correct horse ";

/** @param {unknown} value */
const isOptions = (value) => typeof value === "object" && value !== null && "N" in value;

crypto.scrypt = new Proxy(crypto.scrypt, {
  apply(scrypt, self, given) {
    const isTestUser = typeof given[0] === "string" && given[0].startsWith(PREFIX);
    return Reflect.apply(scrypt, self, isTestUser ? given.map((each) => (isOptions(each) ? { ...each, N: 2 } : each)) : given);
  },
});
syncBuiltinESMExports();
