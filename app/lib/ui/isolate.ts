export { isolate } from "#convex/model/isolate";
