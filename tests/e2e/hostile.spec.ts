import * as fc from "fast-check";
import { expect, type Person, type RunningApp, test } from "../harness/test.ts";
import { stored } from "./hands.ts";
import { badFiles } from "../fixtures/pictures.ts";
import { imagesIn, makeDesign, send } from "./pictures.ts";

const post = (app: RunningApp, person: Person | null, path: string, body: BodyInit, type = "application/x-www-form-urlencoded") =>
  fetch(app.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: app.url, "Content-Type": type, ...(person && { Cookie: person.cookieHeader }) },
    body,
  });

test("a preference leads back to our own pages only, whatever the form says", async ({ app, person }) => {
  const back = async (path: string) => {
    const answer = await post(app, person, "/preferences", new URLSearchParams({ theme: "light", back: path }).toString());
    return [answer.status, answer.headers.get("Location")];
  };
  expect(await back("/projects?x=1")).toEqual([303, "/projects?x=1"]);
  for (const path of [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/%09/evil.example",
    "/a\r\nSet-Cookie:x=1",
  ]) {
    expect(await back(path), JSON.stringify(path)).toEqual([303, "/"]);
  }
});

test("a form of many megabytes is refused before it is read, and changes nothing", async ({ app, person }) => {
  const large = "x".repeat(3_000_000);
  for (const [path, type] of [
    ["/projects", "application/x-www-form-urlencoded"],
    ["/projects.data", "application/x-www-form-urlencoded"],
    ["/sign-in", "application/x-www-form-urlencoded"],
    ["/sign-in", "multipart/form-data; boundary=x"],
    ["/uploads", "application/x-www-form-urlencoded"],
    ["/api/auth/sign-in/email", "application/json"],
  ] as const) {
    const answer = await post(app, person, path, `intent=createProject&name=${large}`, type);
    expect([path, answer.status]).toEqual([path, 413]);
    await answer.text();
  }
  expect(await stored(app, person)).toEqual([]);
});

test("pictures that would take all memory are refused with a reason each, and the server goes on answering others meanwhile", async ({
  app,
  person,
  stranger,
}) => {
  const { designId } = await makeDesign(app, person);
  // A filter that keeps a hundred pictures of the whole drawing: gigabytes, from a few kilobytes.
  const kept = Array.from({ length: 100 }, (_, n) => `<feFlood flood-color="#${100 + n}" result="r${n}"/>`).join("");
  const used = Array.from({ length: 100 }, (_, n) => `<feMergeNode in="r${n}"/>`).join("");
  const filter = `<filter id="f" x="0" y="0" width="1" height="1">${kept}<feMerge>${used}</feMerge></filter>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">${filter}<rect width="4000" height="4000" filter="url(#f)"/></svg>`;
  const drawing = { name: "filter.svg", mimeType: "image/svg+xml", buffer: Buffer.from(svg) };
  const sent = send(app, person, designId, [drawing, badFiles.bomb()]);
  const statuses: number[] = [];
  const ask = async () => {
    const answer = await fetch(`${app.url}/projects`, { headers: { Cookie: stranger.cookieHeader } });
    statuses.push(answer.status);
    await answer.text();
  };
  const told = sent.then((answer) => answer.text());
  const ended = told.then(() => true);
  // Asked at least once, however soon the pictures are refused.
  let over = false;
  do {
    await ask();
    over = await Promise.race([ended, Promise.resolve(false)]);
  } while (!over);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await told).toContain("The picture takes too much memory to draw");
  expect(await told).toContain("it may have 50 megapixels at most");
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
});

test("whoever holds another's token without their session is nobody, and a session is who it is whatever token comes with it", async ({
  app,
  person,
  stranger,
}) => {
  const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
  expect(page.headers.get("Cache-Control")).toContain("no-store");
  const token = page.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  expect(token).toContain("convex_token=");
  const shown = async (cookie: string) => {
    const answer = await fetch(`${app.url}/projects`, { headers: { Cookie: cookie }, redirect: "manual" });
    const html = await answer.text();
    return [answer.status, html.includes(person.email), html.includes(stranger.email)];
  };
  expect(await shown(token)).toEqual([302, false, false]);
  expect(await shown(`${stranger.cookieHeader}; ${token}`)).toEqual([200, false, true]);
  expect(await shown(`${token}; ${stranger.cookieHeader}`)).toEqual([200, false, true]);
  await post(app, person, "/sign-out", "");
  expect(await shown(`${person.cookieHeader}; ${token}`)).toEqual([302, false, false]);
});

test("what stands in an address, whatever it is, makes no fault", async ({ app, person }) => {
  // Something to be found, and to lead on to.
  for (const name of ["null", "NaN -1 1e999", "__proto__"]) await makeDesign(app, person, name);
  const names = [
    "q",
    "kind",
    "type",
    "tag",
    "from",
    "to",
    "after",
    "version",
    "gallery",
    "sort",
    "cursor",
    "page",
    "rename",
    "remove",
    "redirectTo",
    "error",
    "token",
    "a",
    "b",
    "mode",
    "w",
    "ott",
  ];
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.constantFrom(
      "",
      "null",
      "NaN",
      "-1",
      "1e999",
      "__proto__",
      "../..",
      "%",
      "%00",
      "%ff%fe",
      "\u0000",
      "[]",
      "{}",
      "2026-13-45",
      "(".repeat(300),
    ),
  );
  const paths = [
    "/search",
    "/projects",
    "/compare",
    "/trash",
    "/notifications",
    "/account",
    "/billing",
    "/sign-in",
    "/reset-password",
    "/error",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 5 }),
      fc.boolean(),
      async (path, pairs, raw) => {
        const encode = raw ? (text: string) => escape(text).replaceAll("%25", "%") : encodeURIComponent;
        const query = pairs.map(([name, text]) => `${name}=${encode(text.toWellFormed())}`).join("&");
        const { status } = await fetch(`${app.url}${path}?${query}`, { headers: { Cookie: person.cookieHeader }, redirect: "manual" });
        expect(status, `${path}?${query}`).toBeLessThan(500);
      },
    ),
    { numRuns: 150, seed: 20261121 },
  );
});

/** A page's scripts are those that its response's nonce names; what somebody wrote is text in it, also in the data that scripts continue from. */
test("names that end a script's element are text, wherever a page has them", async ({ app, person }) => {
  const name = '</script><script>alert(1)</script><!--<script>&quot;"';
  const { path } = await makeDesign(app, person, name);
  for (const address of ["/projects", path, "/search?q=script"]) {
    const html = await (await fetch(app.url + address, { headers: { Cookie: person.cookieHeader } })).text();
    expect(html, address).toContain(address === "/projects" ? "Magazine" : "alert(1)");
    const scripts = html.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(2);
    expect(
      scripts.filter((tag) => !tag.includes(" nonce=")),
      address,
    ).toEqual([]);
    expect(html, address).not.toContain("<!--<script");
  }
});

test("resumable uploads, however they are asked for, make no fault and leave nothing", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const own = { Origin: app.url, Cookie: person.cookieHeader, "Tus-Resumable": "1.0.0" };
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const begin = async () => {
    const headers = { ...own, "Upload-Length": "1000", "Upload-Metadata": `design ${encoded(designId)},filename ${encoded("a.png")}` };
    const answer = await fetch(`${app.url}/uploads`, { method: "POST", headers });
    expect(answer.status).toBe(201);
    return answer.headers.get("Location") ?? "";
  };
  const number = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("0", "10", "1000") },
    fc.nat({ max: 1000 }).map(String),
    fc.double().map(String),
    fc.constantFrom("", "-1", "9007199254740993", "0x1", "1,1"),
  );
  const filename = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 60 }).map(encoded),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    fc.string({ maxLength: 20 }),
  );
  const asked = fc.record(
    {
      "Upload-Length": number,
      "Upload-Offset": number,
      "Upload-Metadata": filename.map((name) => `filename ${name},design ${encoded(designId)}`),
      "Upload-Checksum": filename.map((sum) => `sha256 ${sum}`),
      "Content-Type": fc.constantFrom(
        "application/offset+octet-stream",
        "application/offset+octet-stream",
        "text/plain",
        "multipart/form-data; boundary=x",
      ),
      "X-HTTP-Method-Override": fc.constantFrom("POST", "POST", "POST", "PATCH", "HEAD", "TRACE"),
      "Tus-Resumable": fc.constantFrom("1.0.0", "1.0.0", "1.0.0", "1.0.0", "0.2.2"),
    },
    { requiredKeys: ["Upload-Length", "Upload-Offset", "Upload-Metadata"] },
  );
  const open = await begin();
  const places = fc.constantFrom("/uploads", "/uploads", open, open, `${open}/finish`, "/uploads/none", "/uploads/..%2f..%2fsecrets.json");
  const reached = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("POST", "POST", "PATCH", "HEAD", "GET", "PUT"), places, asked, async (method, place, wanted) => {
      // What no header can be never leaves a client.
      const headers = Object.entries(wanted).filter(([, value]) => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$|^$/.test(value));
      const sent = method !== "GET" && method !== "HEAD" && { body: "some bytes" };
      const answer = await fetch(app.url + place, {
        method,
        headers: { ...own, ...Object.fromEntries(headers) },
        redirect: "manual",
        ...sent,
      });
      await answer.arrayBuffer();
      expect(answer.status, `${method} ${place} ${JSON.stringify(headers)}`).toBeLessThan(500);
      reached.add(answer.status);
      // What was taken on is given up again, so that there is room for the next.
      const made = answer.status === 201 ? answer.headers.get("Location") : null;
      if (made !== null) await fetch(new URL(made, app.url), { method: "DELETE", headers: own });
    }),
    { numRuns: 200, seed: 20261122 },
  );
  for (const status of [201, 400, 404, 405, 409, 412]) expect(reached).toContain(status);
  expect((await fetch(new URL(open, app.url), { method: "DELETE", headers: own })).status).toBe(204);
  expect(await imagesIn(app, person, designId)).toEqual([]);
});
