import { href } from "react-router";
import { api } from "#convex/_generated/api";
import { connectedConvex, connection } from "~/lib/data/connection/connection";
import { refusalOf } from "~/lib/data/error-responses";
import { toast } from "~/lib/ui/overlays/toasts";
import { nameOfDay } from "../../name-of-day";
import type { Batch } from "./dropped-files";
import { addFiles } from "../lazy-uploader";
import { rejectBeforeUpload } from "./reject-before-upload";

const NOTICE_MS = 3_000;

export async function addToNewProject({ files, folder }: Batch, navigate: (to: string) => void | Promise<void>): Promise<void> {
  const problems = files.map(rejectBeforeUpload);
  const [problem] = problems;
  if (problem && problems.every((each) => each !== null)) return toast(`Nothing was added. ${problem}`);
  try {
    const page = location.pathname;
    const { designId, name } = await createDesign(folder);
    void addFiles({ designId, designName: name }, files);
    if (location.pathname === page) await navigate(href("/design/:id", { id: designId }));
  } catch (error) {
    await toast(`Nothing was added. ${refusalOf(error)?.message ?? "Something went wrong on our side."} Try again.`);
  }
}

async function createDesign(folder: string | null): Promise<{ designId: string; name: string }> {
  const convex = connectedConvex() ?? (await holdingPage(connection()));
  const create = async (name: string) => ({ ...(await convex.mutation(api.projects.createWithDesign, { name })), name });
  const day = nameOfDay(new Date());
  if (folder === null) return create(day);
  return create(folder).catch((error: unknown) => {
    if (refusalOf(error)?.code === "invalid") return create(day);
    throw error;
  });
}

async function holdingPage<Result>(waitingFor: Promise<Result>): Promise<Result> {
  window.addEventListener("beforeunload", preventUnload);
  const notice = setTimeout(() => void toast("The connection was lost. Your files are added when it is back."), NOTICE_MS);
  try {
    return await waitingFor;
  } finally {
    clearTimeout(notice);
    window.removeEventListener("beforeunload", preventUnload);
  }
}

const preventUnload = (event: Event) => event.preventDefault();
