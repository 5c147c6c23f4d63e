import { randomUUID } from "node:crypto";
import type { RunningApp } from "../../harness/app.ts";
import type { Identity, SocialServer } from "../../harness/services/oidc.ts";

export type Answer = { status: number; body: unknown; headers: Headers; location: string | null };

export class Program {
  readonly cookies = new Map<string, string>();
  readonly app: RunningApp;

  constructor(app: RunningApp) {
    this.app = app;
  }

  get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => this.send("GET", path, undefined, headers);

  post = (path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send("POST", path, body, headers);

  async send(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const url = path.startsWith("http") ? path : `${this.app.url}/api/auth${path}`;
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        Origin: this.app.url,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(this.cookies.size > 0 && { Cookie: this.cookieHeader }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    this.keep(response);
    const text = await response.text();
    const json = /json/.test(response.headers.get("Content-Type") ?? "") && text !== "";
    return {
      status: response.status,
      body: json ? JSON.parse(text) : null,
      headers: response.headers,
      location: response.headers.get("Location"),
    };
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  signedIn = async (): Promise<boolean> => (await this.get("/get-session")).body !== null;

  private keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";", 1);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

export type Member = { program: Program; id: string; name: string; email: string; password: string };

export async function member(app: RunningApp, given: Partial<Pick<Member, "email" | "password">> = {}): Promise<Member> {
  const program = new Program(app);
  const name = "Ada Lovelace";
  const { email = `${randomUUID()}@example.com`, password = `correct horse ${randomUUID().slice(0, 8)}` } = given;
  const answer = await program.post("/sign-up/email", { name, email, password });
  if (answer.status !== 200) throw new Error(`sign-up answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return { program, id: text(answer, "user", "id"), name, email, password };
}

export async function signInAgain({ program: { app }, email, password }: Member): Promise<Program> {
  const program = new Program(app);
  await program.post("/sign-in/email", { email, password });
  return program;
}

type Start = { provider?: "google" | "gitlab"; path?: "/sign-in/social" | "/link-social"; body?: Record<string, unknown>; deny?: boolean };

export async function through(
  program: Program,
  social: SocialServer,
  user: Identity,
  { provider = "google", path = "/sign-in/social", body = { callbackURL: "/projects" }, deny = false }: Start = {},
): Promise<string | null> {
  const start = await program.post(path, { provider, ...body });
  if (start.status !== 200) throw new Error(`${path} answered ${start.status}: ${JSON.stringify(start.body)}`);
  const back = await social.consent(text(start, "url"), user, { deny });
  return (await program.get(back)).location;
}

export function text({ body }: Answer, ...path: (string | number)[]): string {
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
    body,
  );
  if (typeof found !== "string") throw new Error(`There is no text at ${path.join(".")} of ${JSON.stringify(body)}`);
  return found;
}
