import { expect, type Person, type RunningApp } from "../../harness/test.ts";

type LinkOptions = { item?: string; password?: string; downloads?: boolean; comments?: boolean };

export async function makeLink({ url }: RunningApp, owner: Person, projectId: string, options: LinkOptions = {}): Promise<string> {
  const { item = projectId, password = "", downloads = false, comments = false } = options;
  const fields = { intent: "createLink", form: "create-link", name: "A link", item, secret: password, expiresOn: "" };
  const answer = await fetch(`${url}/projects/${projectId}/sharing`, {
    method: "POST",
    headers: { Origin: url, Cookie: owner.cookieHeader },
    body: new URLSearchParams({ ...fields, ...(downloads && { downloads: "yes" }), ...(comments && { comments: "yes" }) }),
  });
  const path = /value="[^"]*(\/s\/[A-Za-z0-9]{22})"/.exec(await answer.text())?.[1];
  expect(answer.status).toBe(200);
  expect(path).toBeDefined();
  return path ?? "";
}
