import { randomUUID } from "node:crypto";
import { startApp } from "../tests/harness/app.ts";
import { startMailbox } from "../tests/harness/mailbox.ts";

/**
 * Whether time tells who has an account: each endpoint is asked for an address that has one and for one that has none, in turn, and the medians
 * are compared. Baseline of the same run: the same address, asked twice, which shows how much two equal series differ by themselves.
 *
 *     node bench/enumeration.ts [tries]
 */
const TRIES = Number(process.argv[2] ?? 200);
/** What is answered where the work was done: a wrong password, or that a mail would be on its way. */
const MEANT = new Set([200, 401]);
/** For wrong passwords, in parts of the median; the other endpoints wait for no hash, and theirs is reported. */
const BAR = 0.05;
const PASSWORD = "correct horse battery";

const asks: Record<string, (email: string) => [path: string, body: Record<string, unknown>]> = {
  "sign-in": (email) => ["/sign-in/email", { email, password: "wrong horse battery" }],
  "password reset": (email) => ["/request-password-reset", { email, redirectTo: "/reset-password" }],
  "sign-in link": (email) => ["/sign-in/magic-link", { email, callbackURL: "/projects" }],
  "sign-in code": (email) => ["/email-otp/send-verification-otp", { email, type: "sign-in" }],
  "confirm again": (email) => ["/send-verification-email", { email }],
};

const mailbox = await startMailbox();
const app = await startApp({ SMTP_URL: mailbox.url });

async function post(path: string, body: Record<string, unknown>): Promise<number> {
  const before = performance.now();
  const response = await fetch(`${app.url}/api/auth${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  const took = performance.now() - before;
  // What is refused before anything is done for it takes as long for everybody, and says nothing.
  if (!MEANT.has(response.status)) throw new Error(`${path} answered ${response.status}: ${answer}`);
  return took;
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
const ratio = (one: number, other: number) => (one / other).toFixed(3).padStart(8);
const ms = (time: number) => `${time.toFixed(2)} ms`.padStart(10);

const known = `${randomUUID()}@example.com`;
await post("/sign-up/email", { name: "Ada Lovelace", email: known, password: PASSWORD });

console.log(`Medians of ${TRIES} tries each\n`);
console.log(
  `${"".padEnd(16)}${"known".padStart(10)}${"unknown".padStart(10)}${"differ by".padStart(12)}${"ratio".padStart(8)}${"known twice".padStart(14)}${"ratio".padStart(8)}`,
);
for (const [name, ask] of Object.entries(asks)) {
  const times = { known: [] as number[], unknown: [] as number[], again: [] as number[] };
  for (let each = -5; each < TRIES; each++) {
    // Which is first changes, so that none always runs on what the other has warmed.
    const series = [
      () => post(...ask(known)).then((time) => ["known", time] as const),
      () => post(...ask(`${randomUUID()}@example.com`)).then((time) => ["unknown", time] as const),
      () => post(...ask(known)).then((time) => ["again", time] as const),
    ];
    for (let turn = 0; turn < series.length; turn++) {
      const result = await series[(turn + Math.abs(each)) % series.length]?.();
      if (result && each >= 0) times[result[0]].push(result[1]);
    }
  }
  const [a, b, c] = [median(times.known), median(times.unknown), median(times.again)];
  const verdict = name === "sign-in" ? `  ${Math.abs(b - a) / a <= BAR ? "within" : "beyond"} ${BAR * 100} %` : "";
  console.log(`${name.padEnd(16)}${ms(a)}${ms(b)}${ms(b - a).padStart(12)}${ratio(b, a)}${ms(c - a).padStart(14)}${ratio(c, a)}${verdict}`);
}
await app.dispose();
await mailbox.close();
