/**
 * Loaded into the server's process before it (`node --import`): requests to the hosts named in REDIRECT_HOSTS go elsewhere, so that the product
 * talks to a provider on this machine in the belief that it talks to the provider's own. Nothing in the product knows of it.
 */
const given: unknown = JSON.parse(process.env["REDIRECT_HOSTS"] ?? "{}");
const targets = new Map(Object.entries(given ?? {}));
const real = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const target: unknown = targets.get(url.origin);
  if (typeof target !== "string") return real(input, init);
  const there = new URL(url.pathname + url.search, target);
  return real(input instanceof Request ? new Request(there, input) : there, init);
};
