import { defineApp } from "convex/server";
import store from "./store/convex.config";

const MOUNTS = 10;

const app = defineApp();
for (let mount = 0; mount < MOUNTS; mount += 1) app.use(store, { name: `store${mount}` });
export default app;
