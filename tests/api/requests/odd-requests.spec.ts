import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RunningApp } from "../../harness/app.ts";
import { expect, test } from "../support/mailed.ts";
import { Program } from "../support/program.ts";

async function stream(app: RunningApp, head: string[], chunk: string, chunks: number): Promise<string> {
  const socket = connect(app.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data: Buffer) => (answer += data.toString("utf8")));
  function* sent() {
    yield [...head, `Host: localhost:${app.port}`, "Transfer-Encoding: chunked", "", ""].join("\r\n");
    const piece = `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`;
    for (let each = 0; each < chunks && !answer.includes("\r\n\r\n"); each++) yield piece;
    yield "0\r\n\r\n";
  }
  const closed = once(socket, "close");
  await pipeline(Readable.from(sent()), socket);
  await closed;
  return answer;
}

test("HEAD answers safe auth calls like GET and uses up no link", async ({ app, ada, linkTo }) => {
  const sendRequest = (path: string, method: string) =>
    fetch(new URL(path, app.url), { method, redirect: "manual", headers: { Cookie: ada.program.cookieHeader } });
  for (const path of ["ok", "get-session", "list-accounts"].map((name) => `/api/auth/${name}`)) {
    const [head, get] = [await sendRequest(path, "HEAD"), await sendRequest(path, "GET")];
    expect([head.status, head.headers.get("Content-Type"), await head.text()], path).toEqual([200, get.headers.get("Content-Type"), ""]);
    await get.arrayBuffer();
  }
  expect((await fetch(`${app.url}/api/auth/list-accounts`, { method: "HEAD" })).status).toBe(401);

  await new Program(app).post("/sign-in/magic-link", { email: ada.email, callbackURL: "/projects" });
  const link = await linkTo(ada.email, "/magic-link/verify");
  expect((await sendRequest(link, "HEAD")).status).toBe(404);
  const program = new Program(app);
  await program.get(link);
  expect(await program.signedIn()).toBe(true);
});

for (const [path, type, said] of [
  ["/sign-in", "application/x-www-form-urlencoded", "The form is too large"],
  ["/account/security", "multipart/form-data; boundary=b", "The form is too large"],
  ["/account/security.data", "multipart/form-data; boundary=b", "413"],
  ["/preferences", "application/x-www-form-urlencoded", ""],
  ["/api/auth/sign-in/email", "application/json", "The Content-Length header is missing"],
] as const) {
  test(
    `limits a body without a declared length, too: ${path}`,
    { tag: "@limits-body-without-declared-length-too" },
    async ({ app, ada }) => {
      const before = memoryOf(app.pid);
      const head = [`POST ${path} HTTP/1.1`, `Content-Type: ${type}`, `Origin: ${app.url}`, `Cookie: ${ada.program.cookieHeader}`];
      const answer = await stream(app, head, "x".repeat(64 * 1024), 2000);
      expect(answer).toMatch(/^HTTP\/1\.1 41[13] /);
      expect(answer).toContain(said);
      expect(memoryOf(app.pid) - before).toBeLessThan(100 * 1024);
    },
  );
}

test(
  "rejects malformed bodies, fields, cookies, methods and addresses without a 500",
  { tag: ["@rejects-malformed-bodies-fields-cookies-methods", "@slow"] },
  async ({ app, ada }) => {
    test.slow();
    const odd = [
      null,
      1,
      true,
      ["a"],
      { a: 1 },
      { $field: 1 },
      "",
      "\u0000",
      "\ud800",
      "\ud800@example.com",
      "x".repeat(300_000),
      `${"x".repeat(300)}@example.com`,
    ];
    const calls: [string, Record<string, unknown>][] = [
      ["/sign-up/email", { name: "A", email: "EMAIL", password: "a fine password", image: null }],
      ["/sign-in/email", { email: "EMAIL", password: "a fine password", rememberMe: true }],
      ["/update-user", { name: "A", image: null }],
      ["/change-email", { newEmail: "EMAIL", callbackURL: "/" }],
      ["/change-password", { currentPassword: "wrong", newPassword: "a fine password" }],
      ["/reset-password", { newPassword: "a fine password", token: "nothing" }],
      ["/sign-in/magic-link", { email: "EMAIL", name: "A" }],
      ["/sign-in/email-otp", { email: "EMAIL", otp: "123456" }],
      ["/two-factor/verify-totp", { code: "123456" }],
      ["/passkey/verify-authentication", { response: { id: "1" } }],
      ["/one-time-token/verify", { token: "nothing" }],
      ["/unlink-account", { providerId: "google", accountId: "1" }],
    ];
    const faults: unknown[] = [];
    const send = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const program = new Program(app);
      for (const [name, value] of ada.program.cookies) program.cookies.set(name, value);
      const { status } = await program.post(path, body, headers);
      if (status >= 500) faults.push([path, status, JSON.stringify(body)?.slice(0, 80), headers]);
    };
    const filled = (body: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value === "EMAIL" ? `${randomUUID()}@example.com` : value]));
    for (const [path, body] of calls) {
      for (const name of Object.keys(body)) for (const value of odd) await send(path, { ...filled(body), [name]: value });
      for (const raw of ["{", '"x"', "[]", "null", "1e999", ""]) await send(path, raw);
      for (const type of ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded", "application/json; charset=utf-7"])
        await send(path, JSON.stringify(filled(body)), { "Content-Type": type });
    }
    for (const cookie of ["%00", "a.b", "%ED%A0%80.x", "x".repeat(5000)])
      for (const path of ["/account", "/api/auth/get-session", "/api/auth/list-accounts"]) {
        const { status } = await fetch(app.url + path, { headers: { Cookie: `atelier.session_token=${cookie}` }, redirect: "manual" });
        if (status >= 500) faults.push([path, status, cookie.slice(0, 20)]);
      }
    const forms = [
      "application/json",
      "text/plain",
      "multipart/form-data",
      "multipart/form-data; boundary=b",
      "application/x-www-form-urlencoded",
    ];
    for (const path of ["/sign-in", "/sign-up.data", "/two-factor", "/account/data", "/preferences", "/sign-in/social"])
      for (const type of forms)
        for (const body of ["x", "intent=__proto__&email[]=a&email=b"]) {
          const headers = { "Content-Type": type, Origin: app.url, Cookie: ada.program.cookieHeader };
          const { status } = await fetch(app.url + path, { method: "POST", headers, body, redirect: "manual" });
          if (status >= 500) faults.push([path, status, type, body]);
        }
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
      for (const path of ["/sign-in", "/account", "/preferences", "/account/export", "/api/auth/sign-in/email"]) {
        const { status } = await fetch(app.url + path, { method, headers: { Origin: app.url, Cookie: ada.program.cookieHeader } });
        if (status >= 500) faults.push([method, path, status]);
      }
    expect(faults).toEqual([]);
    expect((await ada.program.get("/get-session")).body).toMatchObject({ user: { id: ada.id } });
  },
);

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
