import { randomUUID } from "node:crypto";
import type { MemberRole } from "../../../convex/model/rights.ts";
import type { Person, RunningApp } from "../../harness/test.ts";

type Inviting = { owner: Person; projectId: string; role: MemberRole };
type Joining = Inviting & { member: Person };

const post = (app: RunningApp, path: string, { cookieHeader }: Person, fields: Record<string, string>) =>
  fetch(app.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: cookieHeader, Origin: app.url },
    body: new URLSearchParams(fields),
  });

export async function inviteTo(app: RunningApp, { owner, projectId, role }: Inviting): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const invited = await post(app, `/projects/${projectId}/members`, owner, { intent: "inviteMember", form: "invite", email, role });
  const token = /invitation=([\w-]+)/.exec(await invited.text())?.[1];
  if (!token) throw new Error(`The page shows no invitation: ${invited.status}`);
  return `/invitation?invitation=${token}`;
}

export async function joinProject(app: RunningApp, { member, ...inviting }: Joining): Promise<void> {
  const accepted = await post(app, await inviteTo(app, inviting), member, {});
  if (accepted.status !== 303) throw new Error(`The invitation was answered with ${accepted.status}`);
}
