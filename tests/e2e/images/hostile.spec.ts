import * as fc from "fast-check";
import { expect, type Person, type RunningApp, test } from "../../harness/test.ts";
import { stored } from "../support/page-actions.ts";
import { badFiles } from "../../fixtures/pictures.ts";
import { imagesIn, makeDesign, send } from "../support/pictures.ts";

const post = (app: RunningApp, person: Person | null, path: string, body: BodyInit, type = "application/x-www-form-urlencoded") =>
  fetch(app.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: app.url, "Content-Type": type, ...(person && { Cookie: person.cookieHeader }) },
    body,
  });

test(
  "setting a preference redirects only to our own pages",
  { tag: "@setting-preference-redirects-only-our-own" },
  async ({ app, person }) => {
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
  },
);

test("rejects a form of many megabytes unread and without effect", async ({ app, person }) => {
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

test("rejects a form with an unknown or indexed field name", { tag: "@slow" }, async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const auth = ["/sign-in", "/sign-up", "/forgot-password", "/reset-password", "/verify-email", "/two-factor", "/sign-in.data"];
  const intents = {
    "/account?index": "name",
    "/account/security": "changePassword",
    "/account/data": "delete",
    "/account/sessions": "revoke",
    "/projects": "createProject",
    "/projects/none": "createDesign",
    "/projects/none/images": "trashImages",
    "/projects.data": "createProject",
    [`/design/${designId}`]: "renameDesign",
    "/design/none/move": "moveDesign",
    "/design/none/images/none": "renameImage",
    "/design/none/images/none/move": "moveImage",
    "/move/images": "where",
    "/move/designs": "moveDesigns",
    "/trash": "emptyTrash",
    "/notifications": "markAllRead",
  };
  const others = ["/preferences", "/download/selection", "/sign-in/social"];
  const names = ["email[4294967294]", "email[]", "email.length", "__proto__", "__intent__", "constructor", "ownerId"];
  const requests = [
    ...auth.map((path) => [path, null, {}] as const),
    ...Object.entries(intents).map(([path, intent]) => [path, person, { intent }] as const),
    ...others.map((path) => [path, person, {}] as const),
  ];
  for (const [index, name] of names.entries()) {
    for (const [turn, [path, who, fields]] of requests.entries()) {
      const type = (index + turn) % 2 === 0 || path.endsWith("/images/none") ? "urlencoded" : "multipart";
      const encode = (sent: Record<string, string>) => (type === "urlencoded" ? new URLSearchParams(sent) : formData(sent));
      const answer = await fetch(app.url + path, {
        method: "POST",
        redirect: "manual",
        headers: { Origin: app.url, ...(who && { Cookie: who.cookieHeader }) },
        body: encode({ ...fields, [name]: "x" }),
      });
      expect([name, type, path, answer.status]).toEqual([name, type, path, 400]);
      await answer.text();
    }
  }
});

function formData(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

test("rejects a multipart form with a part header cut off by the delimiter", async ({ app, person }) => {
  const { designId } = await makeDesign(app, person);
  const text = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const forms = [
    { path: `/design/${designId}`, before: text("sending", "12345678"), field: "files" },
    { path: `/design/${designId}.data`, before: text("sending", "12345678"), field: "files" },
    { path: "/account?index", before: text("form", "picture"), field: "picture" },
  ];
  for (const { path, before, field } of forms) {
    const cut = `--b\r\nContent-Disposition: form-data; name="${field}"; filename="a.png"\r\n--b--`;
    for (const body of [before + cut, cut]) {
      const answer = await post(app, person, path, body, "multipart/form-data; boundary=b");
      expect([path, answer.status]).toEqual([path, 422]);
      await answer.text();
    }
  }
  expect(await imagesIn(app, person, designId)).toEqual([]);
});

test(
  "rejects decompression bombs with a reason while serving other requests",
  { tag: "@rejects-decompression-bombs-reason-while-serving" },
  async ({ app, person, stranger }) => {
    const { designId } = await makeDesign(app, person);
    const sent = send(app, person, designId, [badFiles.largeDrawing(), badFiles.bomb()]);
    const statuses: number[] = [];
    const sendRequest = async () => {
      const answer = await fetch(`${app.url}/projects`, { headers: { Cookie: stranger.cookieHeader } });
      statuses.push(answer.status);
      await answer.text();
    };
    const responseText = sent.then((answer) => answer.text());
    const ended = responseText.then(() => true);
    let over = false;
    do {
      await sendRequest();
      over = await Promise.race([ended, Promise.resolve(false)]);
    } while (!over);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await responseText).toMatch(/The image takes too (?:much memory|long) to render/);
    expect(await responseText).toContain("maximum 50 megapixels");
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  },
);

test(
  "ignores a token cookie that does not belong to the session",
  { tag: "@ignores-token-cookie-does-not-belong" },
  async ({ app, person, stranger }) => {
    const page = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
    expect(page.headers.get("Cache-Control")).toContain("no-store");
    const cookiesOf = ({ cookieHeader }: Person, isToken: boolean) =>
      cookieHeader
        .split("; ")
        .filter((each) => each.includes("convex_token=") === isToken)
        .join("; ");
    const [token, session, otherSession] = [cookiesOf(person, true), cookiesOf(person, false), cookiesOf(stranger, false)];
    expect(token).toContain("convex_token=");
    const shown = async (cookie: string) => {
      const answer = await fetch(`${app.url}/projects`, { headers: { Cookie: cookie }, redirect: "manual" });
      const html = await answer.text();
      return [answer.status, html.includes(person.email), html.includes(stranger.email)];
    };
    expect(await shown(token)).toEqual([302, false, false]);
    expect(await shown(`${otherSession}; ${token}`)).toEqual([200, false, true]);
    expect(await shown(`${token}; ${otherSession}`)).toEqual([200, false, true]);
    await post(app, person, "/sign-out", "");
    expect(await shown(`${session}; ${token}`)).toEqual([302, false, false]);
  },
);

test(
  "no content of an address causes a server error",
  { tag: ["@no-content-address-causes-server-error", "@slow"] },
  async ({ app, person }) => {
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
      { numRuns: 75, seed: 20261121 },
    );
  },
);

test(
  "names that contain a script end tag are text on every page",
  { tag: "@names-contain-script-end-tag-text" },
  async ({ app, person }) => {
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
  },
);

test("malformed resumable uploads cause no server error and leave nothing", async ({ app, person }) => {
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
  const requested = fc.record(
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
    fc.asyncProperty(fc.constantFrom("POST", "POST", "PATCH", "HEAD", "GET", "PUT"), places, requested, async (method, place, wanted) => {
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
      const made = answer.status === 201 ? answer.headers.get("Location") : null;
      if (made !== null) await fetch(new URL(made, app.url), { method: "DELETE", headers: own });
    }),
    { numRuns: 100, seed: 20261122 },
  );
  for (const status of [201, 400, 404, 405, 409, 412]) expect(reached).toContain(status);
  expect((await fetch(new URL(open, app.url), { method: "DELETE", headers: own })).status).toBe(204);
  expect(await imagesIn(app, person, designId)).toEqual([]);
});
