/** Compares response times for known and unknown addresses, which must not reveal accounts. The baseline repeats one address. */
import { randomUUID } from "node:crypto";
import { type RunningApp, startApp } from "../../tests/harness/app.ts";
import { startMailbox } from "../../tests/harness/services/mailbox.ts";
import { type Figure, median } from "../report.ts";

const TRIES = 200;
const WARMING = 5;
const COMPLETED = new Set([200, 401]);
/** Allowed difference for wrong passwords, as part of the median; other endpoints are only reported. */
const BAR = 0.05;
const PASSWORD = "correct horse battery";

type Ask = (email: string) => [path: string, body: Record<string, unknown>];

const asks: Record<string, Ask> = {
  "wrong password": (email) => ["/sign-in/email", { email, password: "wrong horse battery" }],
  "password reset": (email) => ["/request-password-reset", { email, redirectTo: "/reset-password" }],
  "sign-in link": (email) => ["/sign-in/magic-link", { email, callbackURL: "/projects" }],
  "emailed code": (email) => ["/email-otp/send-verification-otp", { email, type: "sign-in" }],
  "verification mail": (email) => ["/send-verification-email", { email }],
  "sign-up": (email) => ["/sign-up/email", { name: "Ada Lovelace", email, password: PASSWORD }],
};

export async function enumeration(): Promise<Figure[]> {
  const mailbox = await startMailbox();
  const app = await startApp({ SMTP_URL: mailbox.url, ACCOUNTS_REQUIRE_EMAIL_VERIFICATION: "true" });
  try {
    const known = `${randomUUID()}@example.com`;
    await post(app, "/sign-up/email", { name: "Ada Lovelace", email: known, password: PASSWORD });
    const figures: Figure[] = [];
    for (const [what, ask] of Object.entries(asks)) figures.push(...(await compared(app, what, known, ask)));
    return figures;
  } finally {
    await app.dispose();
    await mailbox.close();
  }
}

async function compared(app: RunningApp, what: string, known: string, ask: Ask): Promise<Figure[]> {
  const [withAccount, without, again]: [number[], number[], number[]] = [[], [], []];
  const timed = async (times: number[], email: string, keep: boolean) => {
    const took = await post(app, ...ask(email));
    if (keep) times.push(took);
  };
  for (let tried = -WARMING; tried < TRIES; tried++) {
    const turns = [
      () => timed(withAccount, known, tried >= 0),
      () => timed(without, `${randomUUID()}@example.com`, tried >= 0),
      () => timed(again, known, tried >= 0),
    ];
    for (let turn = 0; turn < turns.length; turn++) await turns[(turn + tried + WARMING) % turns.length]?.();
  }
  const [a, b, c] = [median(withAccount), median(without), median(again)];
  const differ = Math.abs(b - a) / a;
  const figure = { name: `${what}: without ÷ with an account`, value: (b / a).toFixed(3) };
  const isHashed = what === "wrong password";
  return [
    { name: `${what}: address with an account, without`, value: `${a.toFixed(1)} and ${b.toFixed(1)} ms` },
    { name: `${what}: with an account, repeated ÷ first`, value: (c / a).toFixed(3) },
    isHashed ? { ...figure, bar: `within ${BAR * 100}%`, met: differ <= BAR } : figure,
  ];
}

async function post(app: RunningApp, path: string, body: Record<string, unknown>): Promise<number> {
  const before = performance.now();
  const response = await fetch(`${app.url}/api/auth${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  const took = performance.now() - before;
  if (!COMPLETED.has(response.status)) throw new Error(`${path} answered ${response.status}: ${answer}`);
  return took;
}
