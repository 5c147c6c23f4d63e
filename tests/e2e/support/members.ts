import type { MemberRole } from "../../../convex/model/rights.ts";
import type { Person, RunningApp } from "../../harness/test.ts";

type Joining = { owner: Person; member: Person; projectId: string; role: MemberRole };

export async function joinProject(app: RunningApp, { owner, member, projectId, role }: Joining): Promise<void> {
  const post = (path: string, { cookieHeader }: Person, fields: Record<string, string>) =>
    fetch(app.url + path, {
      method: "POST",
      redirect: "manual",
      headers: { Cookie: cookieHeader, Origin: app.url },
      body: new URLSearchParams(fields),
    });
  const email = `joins-${member.id.toLowerCase()}@example.com`;
  const invited = await post(`/projects/${projectId}/members`, owner, { intent: "inviteMember", form: "invite", email, role });
  const token = /invitation=([\w-]+)/.exec(await invited.text())?.[1];
  const accepted = await post(`/invitation?invitation=${token}`, member, {});
  if (accepted.status !== 303) throw new Error(`The invitation was answered with ${accepted.status}`);
}
