import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** Preloaded into a command (`node --import`): kills it before its write number KILL_AT_WRITE, counted from 1. */
const last = Number(process.env["KILL_AT_WRITE"]);
let writes = 0;

for (const name of ["copyFile", "rename", "mkdir", "writeFile", "rm"] as const)
  Reflect.set(
    fs,
    name,
    new Proxy(fs[name], {
      apply(write, self, args: unknown[]) {
        writes += 1;
        if (writes === last) process.kill(process.pid, "SIGKILL");
        return Reflect.apply(write, self, args);
      },
    }),
  );
syncBuiltinESMExports();
