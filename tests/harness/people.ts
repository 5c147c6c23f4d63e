import { randomUUID } from "node:crypto";
import { type BrowserContext, expect } from "@playwright/test";

export type Cookie = Parameters<BrowserContext["addCookies"]>[0][number];

export type Person = {
  id: string;
  name: string;
  email: string;
  password: string;
  cookies: Cookie[];
  cookieHeader: string;
};

export async function signUp(appUrl: string, name = "Ada Lovelace", email = `${randomUUID()}@example.com`): Promise<Person> {
  const password = `correct horse ${randomUUID().slice(0, 8)}`;
  const response = await post(appUrl, "/api/auth/sign-up/email", { name, email, password });
  const { user } = await response.json();
  return { id: String(user.id), name, email, password, ...sessionOf(appUrl, response) };
}

export async function signIn(appUrl: string, person: Person): Promise<Person> {
  const response = await post(appUrl, "/api/auth/sign-in/email", { email: person.email, password: person.password });
  return { ...person, ...sessionOf(appUrl, response) };
}

async function post(appUrl: string, path: string, body: unknown): Promise<Response> {
  const response = await fetch(appUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: appUrl },
    body: JSON.stringify(body),
  });
  expect(response.ok, `${path}: ${response.status} ${response.ok ? "" : await response.text()}`).toBe(true);
  return response;
}

function sessionOf(appUrl: string, response: Response): Pick<Person, "cookies" | "cookieHeader"> {
  const cookies = response.headers.getSetCookie().flatMap((line): Cookie[] => {
    const [pair = "", ...attributes] = line.split(";");
    const [name = "", value = ""] = pair.trim().split(/=(.*)/s);
    if (value === "" || attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) return [];
    return [{ name, value, url: appUrl, httpOnly: /;\s*httponly/i.test(line), sameSite: "Lax" }];
  });
  return { cookies, cookieHeader: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") };
}
