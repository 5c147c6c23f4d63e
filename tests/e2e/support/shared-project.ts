import { api } from "../../../convex/_generated/api.js";
import type { MemberRole } from "../../../convex/model/rights.ts";
import type { Person, RunningApp } from "../../harness/test.ts";
import { joinProject } from "./members.ts";
import { addPictures, deploymentAs, makeDesign } from "./pictures.ts";

export async function sharedProject(app: RunningApp, owner: Person, member: Person, role: MemberRole = "viewer") {
  const { designId, path } = await makeDesign(app, owner);
  const [imageId = ""] = await addPictures(app, owner, designId, ["fig"]);
  const convex = await deploymentAs(app, owner);
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  await joinProject(app, { owner, member, projectId, role });
  return { projectId, designId, imageId, path, convex };
}
