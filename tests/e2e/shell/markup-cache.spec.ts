import { randomUUID } from "node:crypto";
import { api } from "../../../convex/_generated/api.js";
import { expect, type Person, type RunningApp, signUp, test } from "../../harness/test.ts";
import { deploymentAs, makeDesign } from "../support/pictures.ts";

async function browserOf(app: RunningApp, person: Person): Promise<string> {
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  await page.text();
  return [person.cookieHeader, ...page.headers.getSetCookie().map((line) => line.split(";", 1)[0])].join("; ");
}

async function get(app: RunningApp, path: string, cookie = "") {
  const answer = await fetch(app.url + path, { headers: { Cookie: cookie } });
  expect(answer.status, path).toBe(200);
  const html = await answer.text();
  const nonce = /'nonce-([^']+)'/.exec(answer.headers.get("Content-Security-Policy") ?? "")?.[1] ?? "";
  const data = /streamController\.enqueue\((".*?")\);<\/script>/s.exec(html)?.[1] ?? "null";
  const sending = /name="sending" value="([^"]+)"/.exec(html)?.[1] ?? "none";
  return {
    html,
    nonce,
    sending,
    data: String(JSON.parse(data)),
    plain: html.replace(data, "").replaceAll(nonce, "").replaceAll(sending, ""),
  };
}

const timesIn = (html: string) => JSON.stringify([...html.matchAll(/<time[^>]*>[^<]*/g)].map(([text]) => text));

test("a page from cached markup equals a fresh one and never mixes users", { tag: "@slow" }, async ({ launch }) => {
  const token = randomUUID();
  const app = await launch({ METRICS_TOKEN: token });
  const kept = async () => {
    const text = await (await fetch(`${app.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text();
    return Number(/^atelier_pages_total\{markup="kept"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };
  const [ada, bob] = [await signUp(app.url, "Ada Kept"), await signUp(app.url, "Bob Kept")];
  async function twice(sendRequest: () => ReturnType<typeof get>, meanwhile = () => Promise.resolve<unknown>(null)) {
    for (;;) {
      const first = await sendRequest();
      await meanwhile();
      const before = await kept();
      const second = await sendRequest();
      if (timesIn(first.html) === timesIn(second.html)) return { first, second, kept: (await kept()) - before };
    }
  }
  const { path } = await makeDesign(app, ada, "Kept & <b>'s");
  const [project] = await (await deploymentAs(app, ada)).query(api.projects.getProjects, {});
  const projectId = project?._id ?? "";
  const [hers, his] = [await browserOf(app, ada), await browserOf(app, bob)];

  for (const [address, cookie] of [
    ["/sign-in", ""],
    ["/forgot-password", ""],
    ["/projects", hers],
    [`/projects/${projectId}`, hers],
    [path, hers],
    ["/trash", hers],
    ["/account", hers],
    ["/search?q=kept", hers],
    ["/projects", his],
  ] as const) {
    const { first, second, kept } = await twice(() => get(app, address, cookie));
    expect(kept, address).toBe(1);
    expect(second.plain, address).toBe(first.plain);
    expect(second.nonce).not.toBe(first.nonce);
    expect(second.html).not.toContain(first.nonce);
    for (const [script] of second.html.matchAll(/<script\b[^>]*>/g)) expect(script).toContain(`nonce="${second.nonce}"`);
    expect(second.data, address).toContain('"loaderData"');
    if (first.sending !== "none") expect(second.sending).not.toBe(first.sending);
  }
  expect((await get(app, path, hers)).sending).toMatch(/^[\da-f-]{36}$/);

  const list = (cookie: string) => get(app, "/projects", cookie);
  const [mine, other] = [await list(hers), await list(his)];
  expect(mine.html).toContain("Ada Kept");
  for (const own of ["Ada Kept", ada.email, projectId]) expect(other.html).not.toContain(own);
  expect((await list(`${hers}; theme=light`)).html).toContain('data-theme="light"');
  expect((await list(hers)).html).toContain('data-theme="dark"');
  expect((await list(`${hers}; sidebar_state=false`)).html).toContain('data-sidebar="collapsed"');
  expect((await list(hers)).html).toContain('data-sidebar="open"');

  const elsewhere = await twice(
    () => list(hers),
    () => makeDesign(app, bob, "Elsewhere"),
  );
  expect(elsewhere.kept).toBe(1);
  expect(elsewhere.second.plain).toBe(elsewhere.first.plain);
  expect(elsewhere.second.data).not.toBe(elsewhere.first.data);

  const titles = async () => [...(await list(hers)).html.matchAll(/<h2[^>]*title="([^"]+)"/g)].map(([, title]) => title);
  await (await deploymentAs(app, ada)).mutation(api.projects.create, { name: "Newer" });
  expect(await titles()).toContain("Newer");
  const out = await fetch(`${app.url}/sign-out`, { method: "POST", redirect: "manual", headers: { Cookie: his, Origin: app.url } });
  const flash =
    out.headers
      .getSetCookie()
      .find((line) => line.startsWith("flash="))
      ?.split(";", 1)[0] ?? "";
  expect((await get(app, "/sign-in", flash)).html).toContain("You are signed out.");
  expect((await get(app, "/sign-in")).html).not.toContain("You are signed out.");
  expect((await fetch(`${app.url}/projects`, { headers: { Cookie: his }, redirect: "manual" })).status).toBe(302);
});
