import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { readCookie } from "~/features/accounts/session/cookies";
import { convexFor } from "~/lib/data/convex.server";
import { TIME_ZONE_COOKIE } from "~/lib/ui/theme/preferences";
import { timeZoneFrom } from "~/lib/ui/time/date-format";
import { nameOfDay } from "../name-of-day";
import type { UploadAnswer } from "../upload-result";
import { handleMultipartUpload } from "./handle-multipart-upload.server";

/** Creates a project and a design, named after the date, for the form's images. Deletes both if no image is added. */
export async function uploadToNewProject(
  request: Request,
  context: Readonly<RouterContextProvider>,
): Promise<{ answer: UploadAnswer; designId: string; added: number }> {
  const convex = convexFor(context);
  const timeZone = timeZoneFrom(readCookie(request.headers, TIME_ZONE_COOKIE)) ?? "UTC";
  const { projectId, designId } = await convex.mutation(api.projects.createWithDesign, { name: nameOfDay(new Date(), timeZone) });
  let added = 0;
  try {
    const answer = await handleMultipartUpload(request, designId, context);
    added = answer.results.filter(({ ok }) => ok).length;
    return { answer, designId, added };
  } finally {
    if (added === 0) {
      await convex.mutation(api.projects.remove, { id: projectId });
      await convex.mutation(api.trash.purge, { id: projectId });
    }
  }
}
