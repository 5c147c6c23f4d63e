import { href } from "react-router";
import { api } from "#convex/_generated/api";
import { connectedConvex } from "~/lib/data/connection/connection";
import { refusalOf } from "~/lib/data/error-responses";
import { toast } from "~/lib/ui/overlays/toasts";
import { nameOfDay } from "../../name-of-day";
import type { Batch } from "./dropped-files";
import { addFiles } from "../lazy-uploader";
import { rejectBeforeUpload } from "./reject-before-upload";

/** Creates a project and a design, named after the folder or the date, opens the design and adds the files. */
export async function addToNewProject({ files, folder }: Batch, navigate: (to: string) => void | Promise<void>): Promise<void> {
  const problems = files.map(rejectBeforeUpload);
  const [problem] = problems;
  if (problem && problems.every((each) => each !== null)) return toast(`Nothing was added. ${problem}`);
  try {
    const { designId, name } = await createDesign(folder);
    void addFiles({ designId, designName: name }, files);
    await navigate(href("/design/:id", { id: designId }));
  } catch (error) {
    const reason = error instanceof NotConnected ? "The connection was lost." : refusalOf(error)?.message;
    await toast(`Nothing was added. ${reason ?? "Something went wrong on our side."} Try again.`);
  }
}

async function createDesign(folder: string | null): Promise<{ designId: string; name: string }> {
  const convex = connectedConvex();
  if (!convex) throw new NotConnected();
  const create = async (name: string) => ({ ...(await convex.mutation(api.projects.createWithDesign, { name })), name });
  const day = nameOfDay(new Date());
  if (folder === null) return create(day);
  return create(folder).catch((error: unknown) => {
    // Not every folder name is a valid name.
    if (refusalOf(error)?.code === "invalid") return create(day);
    throw error;
  });
}

class NotConnected extends Error {}
