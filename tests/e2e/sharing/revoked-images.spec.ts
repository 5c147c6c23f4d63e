import { api } from "../../../convex/_generated/api.js";
import { freePort } from "../../harness/app.ts";
import { startPrepared } from "../../harness/balanced.ts";
import { startProxy } from "../../harness/proxies/proxy.ts";
import { expect, type Person, type RunningApp, signUp, test } from "../../harness/test.ts";
import { joinProject } from "../support/members.ts";
import { addPictures, deploymentAs, makeDesign } from "../support/pictures.ts";

/** Far less than the 15 minutes of a grant whose revocation is missed. Unit tests check the 10 s (@grant-while-down). */
const PATIENCE = { timeout: 100_000 };

test("ends a removed member's access to images on every app server", { tag: ["@revoked-on-every-server", "@slow"] }, async ({ launch }) => {
  test.slow();
  const deployment = await startPrepared();
  const proxy = await startProxy({ port: await freePort(), target: () => Number(new URL(deployment.url).port) });
  try {
    const start = async (convexUrl: string): Promise<RunningApp> => {
      const started = await launch({ ...deployment.settings, CONVEX_URL: convexUrl });
      return { ...started, deployment: { url: deployment.url, forBrowsers: convexUrl } };
    };
    const [first, second, cutOff] = await Promise.all([start(deployment.url), start(deployment.url), start(proxy.url)]);
    const [owner, member] = [await signUp(first.url), await signUp(first.url)];
    const { projectId, designId } = await makeDesign(first, owner);
    const [image = ""] = await addPictures(first, owner, designId, ["fig"]);
    await joinProject(first, { owner, projectId, role: "viewer", member });
    const statusOf = async (app: RunningApp, person: Person) => {
      const answer = await fetch(`${app.url}/images/${image}?w=160`, { headers: { Cookie: person.cookieHeader } });
      await answer.arrayBuffer();
      return answer.status;
    };
    for (const app of [first, second, cutOff]) expect(await statusOf(app, member)).toBe(200);
    proxy.silenceWebSockets();
    await (await deploymentAs(first, owner)).mutation(api.members.remove, { projectId, userId: member.id });
    for (const app of [first, second, cutOff]) await expect.poll(() => statusOf(app, member), PATIENCE).toBe(404);
    for (const app of [first, second, cutOff]) expect(await statusOf(app, owner)).toBe(200);
  } finally {
    await proxy.close();
    await deployment.close();
  }
});
