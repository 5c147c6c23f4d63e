import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { expect, it } from "vitest";
import { limits } from "./limits.server";

const auth = betterAuth({
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  baseURL: "http://localhost",
  secret: "a secret of at least thirty-two characters",
  emailAndPassword: { enabled: true },
  plugins: [limits()],
});

async function signIn(body: string): Promise<[status: number, message: unknown]> {
  const headers = { "Content-Type": "application/json", Origin: "http://localhost" };
  const answer = await auth.handler(new Request("http://localhost/api/auth/sign-in/email", { method: "POST", headers, body }));
  return [answer.status, Reflect.get(Object(await answer.json().catch(() => null)), "message")];
}

it("rejects a body with the deepest possible nesting", async () => {
  const nested = (depth: number) => `{"email":"ada@example.com","password":"secret word","more":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  expect(await signIn(nested(500_000))).toEqual([400, "Invalid input"]);
  expect(await signIn(nested(10))).toEqual([401, "Invalid email or password"]);
});

it("rejects malformed Unicode, also in field names", async () => {
  expect(await signIn(String.raw`{"email":"ada@example.com","password":"\ud800"}`)).toEqual([400, "Invalid input"]);
  expect(await signIn(String.raw`{"email":"ada@example.com","password":"secret word","\udc00":1}`)).toEqual([400, "Invalid input"]);
});

it.each([
  ["Zoe\u0308 \u202Eada", "Zoë ada"],
  ["طرح\u200cها", "طرح\u200cها"],
  ["\u200B\u3164", ""],
])("stores the user name %j as %j", async (name, stored) => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { user } = await auth.api.signUpEmail({ body: { email, password: "secret word", name } });
  expect(user.name).toBe(stored);
});
