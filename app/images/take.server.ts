import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/accounts/service.server";
import { toSignIn, visitor } from "~/accounts/session.server";
import { notFoundResponse, refusalOf, unavailableResponse } from "~/data/refusals";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { keep } from "./keep.server";
import { TooMany } from "~/uploads/places.server";
import { uploadsFor } from "~/uploads/uploads.server";
import { picturesFor } from "./pictures.server";
import { BrokenOff, NotAForm, receive } from "./receive.server";
import { MAX_FILES, UPLOAD_FIELDS, type UploadAnswer } from "./upload";

/** How long a line may be silent before an upload counts as broken off, in ms. */
const SILENCE_MS = 60_000;

/** Whether a request brings files. */
export function isUpload(request: Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers.get("Content-Type") ?? "");
}

/**
 * Takes the files of an upload form into a design, or a file as a new version of the image `versionOf` in it, each on its own: what is wrong with one is said of that one. Throws what the route is to
 * answer instead: the way to sign in, 404 for a missing or foreign design (before a byte is read), 503, or 400 for what is no upload form.
 */
export async function takeUploads(
  request: Request,
  designId: string,
  context: Readonly<RouterContextProvider>,
  versionOf?: string,
): Promise<UploadAnswer> {
  const who = await visitor(context);
  if (!who) throw toSignIn(request);
  const { sessionId, userId } = who;
  const config = context.get(configContext);
  const maxFiles = versionOf === undefined ? MAX_FILES : 1;
  const limits = { maxFileBytes: config.uploadMaxBytes, maxFiles, silenceMs: SILENCE_MS };
  const { parts, places } = uploadsFor(config);
  let sending: string | undefined;
  let onlyNew = false;
  try {
    await serviceConvex(config).query(api.uploads.expectRoom, { sessionId, designId });
    if (versionOf !== undefined) await serviceConvex(config).query(api.uploads.getFile, { sessionId, imageId: versionOf });
    const { results, tooMany } = await places.hold(userId, () =>
      receive(request, limits, {
        newPath: picturesFor(config).newPath,
        onField(name, value) {
          if (name === UPLOAD_FIELDS.sending && /^[\w-]{8,64}$/.test(value)) sending = value;
          if (name === UPLOAD_FIELDS.onlyNew) onlyNew = true;
        },
        onFile(file) {
          if (sending === undefined) throw new NotAForm("The field that names the sending is missing");
          const reserved = parts.reserved(userId);
          const upload = { config, sessionId, designId, sending: `${userId}:${sending}:${file.index}`, onlyNew, reserved };
          return keep(file, versionOf === undefined ? upload : { ...upload, versionOf });
        },
      }),
    );
    if (tooMany)
      return {
        results,
        problem: `Only the first ${maxFiles === 1 ? "file was" : `${maxFiles} files were`} taken. Add the others in another go.`,
      };
    if (results.length === 0) return { results, problem: maxFiles === 1 ? "Choose an image." : "Choose at least one image." };
    return { results };
  } catch (error) {
    if (error instanceof NotAForm || error instanceof BrokenOff) throw new Response("The upload did not arrive whole.\n", { status: 400 });
    if (error instanceof Unavailable) throw unavailableResponse();
    if (error instanceof TooMany)
      throw new Response("Too many of your uploads are under way.\n", { status: 429, headers: { "Retry-After": "5" } });
    const code = refusalOf(error)?.code;
    if (code === "not_found") throw notFoundResponse();
    if (code === "unauthenticated") throw toSignIn(request);
    throw error;
  }
}
