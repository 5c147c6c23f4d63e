import * as fc from "fast-check";
import { expect, test } from "../support/test.ts";
import type { Answer, Program } from "../support/program.ts";

const NASTY = [
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\\/evil.example",
  "///evil.example",
  "/%09/evil.example",
  "/%5cevil.example",
  "/%2fevil.example",
  "/\tevil.example",
  "/\n/evil.example",
  "https:evil.example",
  "https:/evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "https://localhost.evil.example",
  "https://evil.example/http://localhost",
  "http://localhost@evil.example",
  "http://localhost:80%40evil.example",
  "//localhost@evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "https://еvil.example",
  "http://[::1]@evil.example",
  " https://evil.example",
  "\u0000https://evil.example",
  "ftp://localhost",
  "http:\\\\evil.example",
];
const PLACES: [name: string, send: (program: Program, target: string) => Promise<Answer>][] = [
  ["callbackURL of a sign-in", (p, callbackURL) => p.post("/sign-in/social", { provider: "google", callbackURL })],
  ["newUserCallbackURL", (p, newUserCallbackURL) => p.post("/sign-in/social", { provider: "google", newUserCallbackURL })],
  ["errorCallbackURL", (p, errorCallbackURL) => p.post("/sign-in/social", { provider: "google", errorCallbackURL })],
  ["callbackURL of a reset link", (p, target) => p.get(`/reset-password/x?callbackURL=${encodeURIComponent(target)}`)],
  ["callbackURL of a verification link", (p, target) => p.get(`/verify-email?token=x&callbackURL=${encodeURIComponent(target)}`)],
  ["callbackURL of a sign-in link", (p, target) => p.get(`/magic-link/verify?token=x&callbackURL=${encodeURIComponent(target)}`)],
  [
    "back of a preference",
    (p, back) =>
      p.post(`${p.app.url}/preferences`, new URLSearchParams({ theme: "dark", back }).toString(), {
        "Content-Type": "application/x-www-form-urlencoded",
      }),
  ],
  ["redirectTo of a sign-in page", (p, target) => p.get(`${p.app.url}/sign-in?redirectTo=${encodeURIComponent(target)}`)],
];

for (const [name, send] of PLACES) {
  test(`${name}: redirects only to our own pages`, { tag: "@redirects-only-our-own-pages" }, async ({ ada }) => {
    for (const target of NASTY) expectOurs(await send(ada.program, target), ada.program.app.url, target);
  });
}

test("rejects generated external targets", { tag: "@rejects-generated-external-targets" }, async ({ ada }) => {
  test.slow();
  const piece = fc.constantFrom(
    "/",
    "\\",
    "//",
    "evil.example",
    "http:",
    "https:",
    "@",
    "%2f",
    "%5c",
    "%09",
    "\t",
    ".",
    "..",
    ":",
    "localhost",
    "?",
    "#",
    " ",
    "е",
  );
  const made = fc.array(piece, { maxLength: 7 }).map((pieces) => pieces.join(""));
  const begun = fc
    .constantFrom("//", "/\\", "/\t/", "https:", "/..//", "@")
    .chain((start) => made.map((rest) => `${start}evil.example${rest}`));
  const target = fc.oneof(made, begun);
  await fc.assert(
    fc.asyncProperty(target, fc.constantFrom(...PLACES), async (made, [, send]) => {
      expectOurs(await send(ada.program, made), ada.program.app.url, made);
    }),
    { numRuns: 150, seed: 20261121 },
  );
});

function expectOurs(answer: Answer, appUrl: string, target: string): void {
  const accepted = answer.status === 200 && answer.location === null;
  const locations = [answer.location, accepted ? target : null].filter((location) => location !== null);
  for (const location of locations) {
    const read = URL.parse(location, appUrl);
    const provider = read?.origin === "https://accounts.google.com" && read.href !== target;
    if (!provider) expect(read?.origin, `${JSON.stringify(target)} leads to ${location}`).toBe(appUrl);
  }
}
