import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { listening } from "./listening.ts";

// React selects its build by this at import.
process.env["NODE_ENV"] = "production";
const { createRequestListener } = await import("@react-router/node");
const build = await import(pathToFileURL(join(process.argv[2] ?? "", "server/index.js")).href);
listening(createServer(createRequestListener({ build })), () => {});
