import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, hydrated, openBrowser, type Person, type RunningApp, signUp, test } from "../../harness/test.ts";
import { pageActions } from "../support/page-actions.ts";

type Fault = { failing: string } | "down" | null;

async function faultyDeployment(app: RunningApp) {
  let fault: Fault = null;
  const bodyOf = async (request: IncomingMessage) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    return Buffer.concat(parts);
  };
  const server = createServer((request, response) => {
    void bodyOf(request).then(async (body) => {
      if (fault === "down") return response.writeHead(503).end();
      if (fault && body.toString().includes(`"${fault.failing}"`)) {
        return response.end(JSON.stringify({ status: "error", errorMessage: "[Request ID: 1] Server Error", logLines: [] }));
      }
      const { authorization, "content-type": type } = request.headers;
      const headers = { ...(authorization && { authorization }), ...(type && { "content-type": type }) };
      const answer = await fetch(app.deployment.url + request.url, { method: request.method, headers, ...(body.length > 0 && { body }) });
      return response
        .writeHead(answer.status, { "Content-Type": answer.headers.get("Content-Type") ?? "text/plain" })
        .end(Buffer.from(await answer.arrayBuffer()));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, fail: (how: Fault) => (fault = how), close: () => server.close() };
}

async function appBehind(url: string, first: RunningApp, launch: (settings: Record<string, string>) => Promise<RunningApp>) {
  const { signingKey, secret } = JSON.parse(await readFile(join(first.dataDir, "secrets.json"), "utf8"));
  return launch({ CONVEX_URL: url, TOKEN_SIGNING_KEY: JSON.stringify(signingKey), BETTER_AUTH_SECRET: secret });
}

const sidebar = (page: Page) => page.getByRole("complementary", { name: "Sidebar" });

test(
  "each fault shows its fallback screen, status and next step",
  { tag: ["@each-fault-shows-fallback-screen", "@slow"] },
  async ({ ownApp, launch, browser }) => {
    test.slow();
    const deployment = await faultyDeployment(ownApp);
    const app = await appBehind(deployment.url, ownApp, launch);
    const person: Person = await signUp(app.url);
    const scripted = await openBrowser(browser, app, person);
    const plain = await (await browser.newContext({ baseURL: app.url, javaScriptEnabled: false })).newPage();
    await plain.context().addCookies(person.cookies);
    const both = [
      { page: scripted, she: pageActions(scripted, true) },
      { page: plain, she: pageActions(plain, false) },
    ];
    const path = await both[1]?.she.makeProject("Nightfall");
    if (!path) throw new Error("no project");

    try {
      for (const { page, she } of both) {
        await test.step("a loader that throws", async () => {
          await she.open("/projects");
          deployment.fail({ failing: "designs:getDesignsByProjectId" });
          expect((await she.open(path))?.status()).toBe(500);
          await expect(page.getByRole("heading", { name: "Something went wrong" })).toBeVisible();
          await expect(sidebar(page).getByRole("link", { name: "Nightfall" })).toBeVisible();
          await page.getByText("Show Error").click();
          await expect(page.locator("pre")).not.toContainText("Request ID");
          if (page === scripted) await expectAccessible(page);
          await page.getByText("Hide Error").click();
          await expect(page.locator("pre")).toBeHidden();
          const again = page.waitForResponse((response) => response.url().includes(path));
          const anew = page === plain ? page.waitForEvent("load") : null;
          await page.getByRole("button", { name: "Try Again" }).click();
          expect((await again).status()).toBe(500);
          await anew;
          await expect(page.getByRole("heading", { name: "Something went wrong" })).toBeVisible();
          deployment.fail(null);
          await page.getByRole("button", { name: "Try Again" }).click();
          await expect(page.getByRole("heading", { name: "Nightfall", level: 1 })).toBeAttached();

          deployment.fail({ failing: "designs:getDesignsByProjectId" });
          await she.open(path);
          await page.getByRole("link", { name: "Go Back" }).click();
          await expect(page.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
          await expect(page).toHaveURL("/projects");
          deployment.fail(null);
        });

        await test.step("at the root: the shell's own loader throws", async () => {
          deployment.fail({ failing: "projects:getNames" });
          expect((await she.open("/billing"))?.status()).toBe(500);
          await expect(page.getByRole("heading", { name: "Something went wrong" })).toBeVisible();
          await expect(sidebar(page)).toHaveCount(0);
          deployment.fail(null);
          await page.getByRole("link", { name: "Home" }).click();
          await expect(page).toHaveURL("/projects");
          await she.ready();
        });

        await test.step("a missing id", async () => {
          expect((await she.open("/projects/none"))?.status()).toBe(404);
          await expect(page.getByText("The page you are looking for does not exist.")).toBeVisible();
          if (page === scripted) await expectAccessible(page);
          await expect(sidebar(page)).toBeVisible();
          const role = page === scripted ? "button" : "link";
          await page.getByRole(role, { name: "Start Over", exact: true }).click();
          await expect(page).toHaveURL("/projects");
          await she.open("/projects/none");
          await page.getByRole(role, { name: "Go back", exact: true }).click();
          await expect(page).toHaveURL("/projects");
          await she.ready();
        });

        await test.step("a page for signed-out visitors", async () => {
          const session = (await page.context().cookies()).filter(({ name }) => name.includes("session"));
          await page.context().clearCookies();
          await page.context().addCookies(session);
          deployment.fail("down");
          expect((await she.open("/sign-in"))?.status()).toBe(503);
          await expect(page.getByRole("heading", { name: "The server is not responding" })).toBeVisible();
          await expect(page.getByRole("button", { name: "Try Again" })).toBeVisible();
          await expect(page.getByRole("link", { name: "Home" })).toBeVisible();
          await expect(page.locator("pre")).toHaveText("503 Service Unavailable");
          if (page === scripted) {
            await page.getByText("Show Error").click();
            await expect(page.locator("pre")).toBeVisible();
            await expectAccessible(page);
            await page.getByText("Hide Error").click();
            await expect(page.locator("pre")).toBeHidden();
          }
          deployment.fail(null);
          await she.open("/projects");
        });

        await test.step("a development page, which production lacks", async () => {
          expect((await she.open("/dev/ui"))?.status()).toBe(404);
          await expect(page.getByRole("heading", { name: "Page not found", level: 1 })).toBeVisible();
          if (page === scripted) await expectAccessible(page);
          await page.getByRole("link", { name: "Start Over" }).click();
          await expect(page).toHaveURL("/projects");
          await she.ready();
        });
      }

      await test.step("a rejected form keeps its input and can be sent again", async () => {
        const she = pageActions(plain, false);
        await she.open("/projects");
        deployment.fail("down");
        await she.create("project", "Not to be lost");
        await expect(plain.getByRole("heading", { name: "The server is not responding" })).toBeVisible();
        await expect(plain.getByText("Your input is kept")).toBeVisible();
        deployment.fail(null);
        await plain.getByRole("button", { name: "Try Again" }).click();
        await expect(plain).toHaveURL(/\/projects\/./);
        await expect(plain.getByRole("heading", { name: "Not to be lost", level: 1 })).toBeAttached();
      });

      await test.step("a rejected form keeps its dialog and input with scripts", async () => {
        const she = pageActions(scripted, true);
        await she.open("/projects");
        deployment.fail("down");
        await she.create("project", "Not to be lost either");
        await expect(she.dialog("New project")).toContainText("The server is not responding. Your input is kept");
        await expect(she.dialog("New project").getByLabel("Name")).toHaveValue("Not to be lost either");
        deployment.fail(null);
      });

      await test.step("forms that none of our pages has, and forms about deleted items", async () => {
        const post = async (path: string, type: string, body: string) => {
          const headers = { Cookie: person.cookieHeader, Origin: app.url, "Content-Type": type };
          const answer = await fetch(app.url + path, { method: "POST", redirect: "manual", headers, body });
          return [answer.status, await answer.text()] as const;
        };
        const [unread, page] = await post("/projects", "application/json", "{}");
        expect([unread, page]).toEqual([415, expect.stringContaining("The form could not be read")]);
        const gone = new URLSearchParams({ intent: "renameProject", form: "rename-none", id: "none", name: "Any" });
        const [refused, shown] = await post("/projects", "application/x-www-form-urlencoded", gone.toString());
        expect([refused, shown]).toEqual([422, expect.stringContaining("This item no longer exists, or you can no longer change it.")]);
      });

      await test.step("a server that this browser cannot reach", async () => {
        await pageActions(scripted, true).open("/projects");
        await scripted.route(/billing\.data/, (route) => route.abort());
        await scripted.getByRole("button", { name: person.name }).click();
        await scripted.getByRole("group", { name: "You" }).getByRole("link", { name: "Billing", exact: true }).click();
        await expect(scripted.getByRole("heading", { name: "The server is not responding" })).toBeVisible();
        await expect(sidebar(scripted)).toBeVisible();
        await expect(scripted.getByText("Reconnecting automatically.")).toBeVisible();
        await scripted.unroute(/billing\.data/);
        await expect(scripted.getByRole("heading", { name: "Billing", level: 1 })).toBeVisible();
        await expect(sidebar(scripted)).toBeVisible();

        const size = scripted.viewportSize() ?? { width: 1280, height: 720 };
        await scripted.setViewportSize({ ...size, height: 300 });
        const left = await scripted.evaluate(() => {
          window.scrollTo(0, 50);
          return window.scrollY;
        });
        expect(left).toBe(50);
        await sidebar(scripted).getByRole("link", { name: "Projects", exact: true }).click();
        await expect(scripted.getByRole("heading", { name: "Projects", level: 1 })).toBeVisible();
        await expect.poll(() => scripted.evaluate(() => window.scrollY)).toBe(0);
        await scripted.goBack();
        await expect(scripted.getByRole("heading", { name: "Billing", level: 1 })).toBeAttached();
        await expect.poll(() => scripted.evaluate(() => window.scrollY)).toBe(left);
        await scripted.setViewportSize(size);
      });

      deployment.fail("down");
      await test.step("a page returns when its deployment is up again", async () => {
        for (const { she } of both) {
          const answer = await she.open("/projects");
          expect([answer?.status(), answer?.headers()["retry-after"]]).toEqual([503, "5"]);
        }
        const data = await fetch(`${app.url}/projects.data`, { headers: { Cookie: person.cookieHeader } });
        expect(data.status).toBe(503);
        deployment.fail(null);
        for (const { page } of both) await expect(page.getByRole("main").getByRole("link", { name: "Nightfall" })).toBeVisible();
        await hydrated(scripted);
        await expect(scripted).toHaveURL("/projects");
      });
    } finally {
      for (const { page } of both) await page.context().close();
      deployment.close();
    }
  },
);
