export { convexTestBackend as embeddedBackend } from "./convex-test.ts";
