import { api } from "../../convex/_generated/api.js";
import type { MemberRole } from "../../convex/model/rights.ts";
import { type Backend, type Person, probe, signUp } from "./backends.ts";
import { addImage } from "./pictures.ts";

export const rowsOf = (backend: Backend, table: string, field: string, value: string) =>
  backend.inside.query(probe.rows, { table, field, value });

export const addMember = (backend: Backend, projectId: string, { userId }: Person, role: MemberRole) =>
  backend.inside.mutation(probe.insert, { table: "projectMembers", row: { projectId, userId, role, addedAt: Date.now(), addedBy: "x" } });

export async function shareProject(backend: Backend, role: MemberRole) {
  const [ada, eve] = [await signUp(backend, "ada"), await signUp(backend, "eve")];
  const project = await ada.mutation(api.projects.create, { name: "Shared" });
  const design = await ada.mutation(api.designs.create, { projectId: project, name: "Cover" });
  const { id: image } = await addImage(backend, ada, design, "fig");
  const member = await addMember(backend, project, eve, role);
  const own = await eve.mutation(api.projects.create, { name: "Eve's" });
  const ownDesign = await eve.mutation(api.designs.create, { projectId: own, name: "Eve's design" });
  await backend.settle();
  return { ada, eve, project, design, image, member, own, ownDesign };
}

export async function copyImageRows(backend: Backend, id: string, number: number, changes: object): Promise<void> {
  const { _id, _creationTime, ...row } = (await rowsOf(backend, "designImages", "_id", id))[0] ?? {};
  const mark = JSON.stringify(changes);
  const copies = Array.from({ length: number }, (_, each) => ({ ...row, ...changes, uploadId: `${id} ${each} ${mark}` }));
  await backend.inside.mutation(probe.insertMany, { table: "designImages", rows: copies });
}
