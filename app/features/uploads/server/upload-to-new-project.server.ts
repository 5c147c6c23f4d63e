import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { readCookie } from "~/features/accounts/session/cookies";
import { convexFor } from "~/lib/data/convex.server";
import { refusalOf } from "~/lib/data/error-responses";
import { TIME_ZONE_COOKIE } from "~/lib/ui/theme/preferences";
import { timeZoneFrom } from "~/lib/ui/time/date-format";
import { nameOfDay } from "../name-of-day";
import type { UploadAnswer } from "../upload-result";

/** Creates a project and a design, named after the date, for the images that `upload` adds. Deletes both if no image is added. */
export async function uploadToNewProject(
  request: Request,
  context: Readonly<RouterContextProvider>,
  upload: (designId: string) => Promise<UploadAnswer>,
): Promise<{ answer: UploadAnswer; designId: string; added: number }> {
  const convex = convexFor(context);
  const timeZone = timeZoneFrom(readCookie(request.headers, TIME_ZONE_COOKIE)) ?? "UTC";
  let created;
  try {
    created = await convex.mutation(api.projects.createWithDesign, { name: nameOfDay(new Date(), timeZone) });
  } catch (error) {
    const { code, message, fieldErrors = {} } = refusalOf(error) ?? {};
    if (code !== "limit" && code !== "invalid") throw error;
    const problem = message ?? Object.values(fieldErrors)[0]?.[0] ?? "The project could not be created.";
    return { answer: { results: [], problem }, designId: "", added: 0 };
  }
  const { projectId, designId } = created;
  let added = 0;
  try {
    const answer = await upload(designId);
    added = answer.results.filter(({ ok }) => ok).length;
    return { answer, designId, added };
  } finally {
    if (added === 0) {
      await convex.mutation(api.projects.remove, { id: projectId });
      await convex.mutation(api.trash.purge, { id: projectId });
    }
  }
}
