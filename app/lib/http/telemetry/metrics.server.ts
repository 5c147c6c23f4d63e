import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** A registry of our own, because development reloads this module. */
const registers = [new Registry()];

const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Labels must be bounded: route patterns and function names, no addresses or ids. */
export const metrics = {
  requests: new Histogram({
    name: "atelier_request_seconds",
    help: "Requests, measured until the response headers",
    labelNames: ["method", "route", "status"],
    buckets,
    registers,
  }),
  pages: new Counter({
    name: "atelier_pages_total",
    help: "Pages by the source of their markup: rendered or cached",
    labelNames: ["markup"],
    registers,
  }),
  handlers: new Histogram({
    name: "atelier_route_handler_seconds",
    help: "Loaders and actions of routes",
    labelNames: ["kind", "route", "outcome"],
    buckets,
    registers,
  }),
  deploymentCalls: new Histogram({
    name: "atelier_deployment_call_seconds",
    help: "Queries and mutations that the app server sent to the deployment",
    labelNames: ["kind", "function", "outcome"],
    buckets,
    registers,
  }),
  uploads: new Counter({
    name: "atelier_uploads_total",
    help: "Received files by outcome",
    labelNames: ["outcome"],
    registers,
  }),
  uploadedBytes: new Counter({ name: "atelier_uploaded_bytes_total", help: "Bytes of stored files", registers }),
  variants: new Counter({
    name: "atelier_variants_total",
    help: "Requested image variants: found in the cache, created, or shared with an earlier request",
    labelNames: ["outcome"],
    registers,
  }),
  variantCacheBytes: new Gauge({ name: "atelier_variant_cache_bytes", help: "Bytes of images in the cache on disk", registers }),
};

const sizes = new Map<string, () => number>();

/** Reports a collection's number of entries at /metrics. A later call with the same name replaces the earlier one. */
export const showSize = (collection: string, size: () => number): void => void sizes.set(collection, size);

const entries: Gauge<"collection"> = new Gauge({
  name: "atelier_collection_entries",
  help: "Entries in each in-memory collection",
  labelNames: ["collection"],
  registers,
  collect() {
    for (const [collection, size] of sizes) entries.set({ collection }, size());
  },
});

export const metricsText = (): Promise<string> => Promise.all(registers.map((each) => each.metrics())).then((all) => all.join("\n"));
