import { skewClock } from "../../simulation/clock-skew.ts";
import { nodeStart } from "./node-channel.ts";
import { enterNode } from "./node-environment.ts";

const { entry, clockSkewMs, env, code } = await nodeStart;
skewClock(clockSkewMs);
enterNode(code, env);
await import(entry);
