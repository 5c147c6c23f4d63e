import sharp from "sharp";
import { THEME_COLOURS } from "../../../app/lib/ui/theme/theme.ts";
import { expect, test } from "../../harness/test.ts";

test("only public pages carry metadata for link previews", async ({ app, person, request }) => {
  for (const path of ["/sign-in", "/sign-up", "/forgot-password"]) {
    const html = await (await fetch(app.url + path)).text();
    const openGraph = Object.fromEntries(
      [...html.matchAll(/<meta property="(og:[\w:]+)" content="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    expect(openGraph, path).toMatchObject({ "og:type": "website", "og:url": app.url + path, "og:image": `${app.url}/og.png` });
    expect(html).toContain(`<title>${openGraph["og:title"]}</title>`);
  }
  const picture = await sharp(await (await request.get("/og.png")).body()).metadata();
  expect([picture.width, picture.height]).toEqual([1200, 630]);
  const projects = await (await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } })).text();
  expect(projects).not.toContain("og:");
});

test("sets the browser's colour to the theme's", async ({ app }) => {
  const colours = async (theme: string) => {
    const html = await (await fetch(`${app.url}/sign-in`, { headers: { Cookie: `theme=${theme}` } })).text();
    return [...html.matchAll(/<meta name="theme-color"[^>]* content="([^"]+)"/g)].map(([, colour]) => colour);
  };
  expect(await colours("dark")).toEqual([THEME_COLOURS.dark]);
  expect(await colours("light")).toEqual([THEME_COLOURS.light]);
  expect(await colours("system")).toEqual([THEME_COLOURS.light, THEME_COLOURS.dark]);
});

test("serves the manifest's icons in their sizes, one of them maskable", async ({ app, request }) => {
  const html = await (await fetch(`${app.url}/sign-in`)).text();
  for (const address of ["/favicon.ico", "/favicon.svg", "/apple-touch-icon.png", "/manifest.webmanifest"]) {
    expect(html).toContain(`href="${address}"`);
    expect((await request.get(address)).status(), address).toBe(200);
  }
  const answer = await request.get("/manifest.webmanifest");
  expect(answer.headers()["content-type"]).toContain("application/manifest+json");
  const manifest = await answer.json();
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await request.get(src);
    expect(icon.headers()["content-type"]).toContain(type);
    if (sizes === "any") continue;
    const { width, height } = await sharp(await icon.body()).metadata();
    expect(`${width}x${height}`, src).toBe(sizes);
  }
  expect(manifest.icons.map(({ purpose }: { purpose?: string }) => purpose)).toContain("maskable");
});

test("the component page exists in development only", async ({ request }) => {
  for (const path of ["/dev/ui", "/dev/outbox"]) {
    const answer = await request.get(path);
    expect([answer.status(), (await answer.text()).includes('<h1 class="text-xl">Page not found')], path).toEqual([404, true]);
  }
});
