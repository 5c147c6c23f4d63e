import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startEmbedded } from "../../server/embedded.ts";
import { log } from "../../server/log.ts";
import { expect, hydrated, openBrowser, signUp, test } from "../harness/test.ts";

const SETUP = fileURLToPath(new URL("../../server/setup-convex.ts", import.meta.url));

/** The embedded deployment, run alone, stands for any other: it is reached by its address and its admin key, and by nothing else. */
test("with a deployment of its own elsewhere: setup:convex prepares it, two servers share it, and browsers go there themselves", async ({
  launch,
  browser,
}) => {
  test.slow();
  log.level = "warn";
  const dir = await mkdtemp(join(tmpdir(), "atelier-remote-"));
  const adminKey = `remote|${randomBytes(32).toString("hex")}`;
  const deployment = await startEmbedded({ dir, port: 0, sitePort: 0, adminKey, log });
  try {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, CONVEX_URL: deployment.url, CONVEX_DEPLOY_KEY: adminKey };
    const setUp = (settings: Record<string, string | undefined>) => promisify(execFile)(process.execPath, [SETUP], { env: settings });
    await expect(setUp({ ...env, CONVEX_DEPLOY_KEY: undefined })).rejects.toThrow("CONVEX_URL and CONVEX_DEPLOY_KEY are needed");
    await expect(setUp({ ...env, CONVEX_DEPLOY_KEY: "remote|00" })).rejects.toThrow("The provided admin key was invalid");
    await expect(setUp({ ...env, CONVEX_URL: "http://127.0.0.1:1" })).rejects.toThrow(
      "The deployment at http://127.0.0.1:1 does not answer",
    );
    const { stdout } = await setUp(env);
    expect(stdout).toContain("is ready");
    const printed = Object.fromEntries(
      [...stdout.matchAll(/^([A-Z_]+)=(?:'(.*)'|(.*))$/gm)].map(([, name, quoted, plain]) => [String(name), quoted ?? plain ?? ""]),
    );
    expect(Object.keys(printed).toSorted()).toEqual(["BETTER_AUTH_SECRET", "CONVEX_URL", "TOKEN_SIGNING_KEY"]);

    const first = await launch(printed);
    const second = await launch(printed);
    expect(first.output()).not.toContain("deploymentPid");
    const person = await signUp(first.url);

    // The second server knows the session that the first one made.
    const cookies = person.cookies.map((cookie) => ({ ...cookie, url: second.url }));
    const page = await openBrowser(browser, second, { ...person, cookies });
    const socket = page.waitForEvent("websocket");
    const answer = await page.goto("/projects");
    await expect(page).toHaveURL("/projects");
    await hydrated(page);
    expect((await socket).url()).toMatch(`${deployment.url.replace(/^http/, "ws")}/api/`);
    const connect = /connect-src ([^;]*)/.exec(answer?.headers()["content-security-policy"] ?? "")?.[1];
    expect(connect?.split(" ").toSorted()).toEqual(["'self'", deployment.url, deployment.url.replace(/^http/, "ws")].toSorted());

    // And what one server writes is live in a page of the other.
    const made = await fetch(`${first.url}/projects`, {
      method: "POST",
      redirect: "manual",
      headers: { Cookie: person.cookieHeader, Origin: first.url, "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ intent: "createProject", name: "Written elsewhere" }),
    });
    expect(made.status).toBe(303);
    await expect(page.getByRole("main").getByText("Written elsewhere")).toBeVisible();
    expect((await fetch(`${second.url}/convex/api/debug_event`, { method: "POST", body: "{}" })).status).toBe(404);
    await page.context().close();
  } finally {
    await deployment.close();
    await rm(dir, { recursive: true });
  }
});
