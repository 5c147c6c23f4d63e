/** A bare React Router app, as its documentation serves one: no session, no database, no limits, no compression. */
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { listening } from "./listening.ts";

// React and its kin choose between their two builds by this when they are first imported.
process.env["NODE_ENV"] = "production";
const { createRequestListener } = await import("@react-router/node");
const build = await import(pathToFileURL(join(process.argv[2] ?? "", "server/index.js")).href);
listening(createServer(createRequestListener({ build })), () => {});
