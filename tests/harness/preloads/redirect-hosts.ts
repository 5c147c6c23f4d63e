/** Preloaded into the server (`node --import`): redirects requests to the hosts in REDIRECT_HOSTS to local providers. */
const given: unknown = JSON.parse(process.env["REDIRECT_HOSTS"] ?? "{}");
const targets = new Map(Object.entries(given ?? {}));
const real = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const target: unknown = targets.get(url.origin);
  if (typeof target !== "string") return real(input, init);
  const redirected = new URL(url.pathname + url.search, target);
  return real(input instanceof Request ? new Request(redirected, input) : redirected, init);
};
