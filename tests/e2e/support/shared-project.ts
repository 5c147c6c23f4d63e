import { randomUUID } from "node:crypto";
import { api } from "../../../convex/_generated/api.js";
import { expect, type Person, type RunningApp } from "../../harness/test.ts";
import { addPictures, deploymentAs, makeDesign } from "./pictures.ts";

export async function sharedProject(app: RunningApp, owner: Person, member: Person, role = "viewer") {
  const { designId, path } = await makeDesign(app, owner);
  const [imageId = ""] = await addPictures(app, owner, designId, ["fig"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const post = async (to: string, { cookieHeader }: Person, fields: Record<string, string>) => {
    const headers = { Cookie: cookieHeader, Origin: app.url };
    return fetch(app.url + to, { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" });
  };
  const invite = { intent: "inviteMember", form: "invite", email: `${randomUUID()}@example.com`, role };
  const page = await (await post(`/projects/${projectId}/members`, owner, invite)).text();
  expect(page).toContain("/invitation?invitation=");
  const invitation = /value="[^"]*(\/invitation\?invitation=[A-Za-z0-9]+)"/.exec(page)?.[1] ?? "";
  expect((await post(invitation, member, {})).status).toBe(303);
  return { projectId, designId, imageId, path, convex };
}
