import { printedSettings, startStandalone } from "../harness/setup-convex.ts";
import { expect, hydrated, openBrowser, signUp, test } from "../harness/test.ts";

test("two servers and browsers share a remote deployment after setup:convex", async ({ launch, browser }) => {
  test.slow();
  const standalone = await startStandalone();
  const { target: deployment, setUp } = standalone;
  try {
    const env = { CONVEX_URL: deployment.url, CONVEX_DEPLOY_KEY: deployment.adminKey };
    await expect(setUp([], { ...env, CONVEX_DEPLOY_KEY: undefined })).rejects.toThrow("CONVEX_URL and CONVEX_DEPLOY_KEY are needed");
    await expect(setUp([], { ...env, CONVEX_DEPLOY_KEY: "remote|00" })).rejects.toThrow("The provided admin key was invalid");
    await expect(setUp([], { ...env, CONVEX_URL: "http://127.0.0.1:1" })).rejects.toThrow(
      "The deployment at http://127.0.0.1:1 does not respond",
    );
    const output = await setUp([], env);
    expect(output).toContain("is ready");
    const printed = printedSettings(output);
    expect(Object.keys(printed).toSorted()).toEqual(["BETTER_AUTH_SECRET", "CONVEX_URL", "TOKEN_SIGNING_KEY"]);

    const first = await launch(printed);
    const second = await launch(printed);
    expect(first.output()).not.toContain("deploymentPid");
    const person = await signUp(first.url);

    const cookies = person.cookies.map((cookie) => ({ ...cookie, url: second.url }));
    const page = await openBrowser(browser, second, { ...person, cookies });
    const socket = page.waitForEvent("websocket");
    const answer = await page.goto("/projects");
    await expect(page).toHaveURL("/projects");
    await hydrated(page);
    expect((await socket).url()).toMatch(`${deployment.url.replace(/^http/, "ws")}/api/`);
    const connect = /connect-src ([^;]*)/.exec(answer?.headers()["content-security-policy"] ?? "")?.[1];
    expect(connect?.split(" ").toSorted()).toEqual(["'self'", deployment.url, deployment.url.replace(/^http/, "ws")].toSorted());

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
    await standalone.close();
  }
});
