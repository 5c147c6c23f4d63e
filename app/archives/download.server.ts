import { href, redirect, type RouterContextProvider } from "react-router";
import { safeTarget } from "~/accounts/safe-target";
import { toSignIn, visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { refusalOf, unavailableResponse } from "~/data/refusals";
import { listOf } from "~/forms/intents";
import { configContext } from "~/http/context";
import { tell } from "~/http/flash.server";
import { formOf } from "~/http/form.server";
import { Unavailable } from "~/http/unavailable.server";
import { CHOSEN_FIELD } from "~/selection/address";
import { api } from "#convex/_generated/api";
import { zipResponse } from "./archive.server";
import { belongingsOf } from "./belongings.server";
import { designEntries, projectEntries, selectionEntries } from "./contents";

/** `file` is the last part of the address: `<id>.zip`. */
type Asked = { request: Request; file: string; context: Readonly<RouterContextProvider> };

/** A design's pictures as they were uploaded. Throws the way to sign in, one 404 for a missing design and a foreign one, 503. */
export async function downloadDesign(asked: Asked): Promise<Response> {
  const { id, belongings } = await open(asked);
  const { value } = await convexFor(asked.context).preload(api.designs.getDesignById, { id });
  return zipResponse(asked.request, value.name, (signal) => designEntries(belongings, id, signal));
}

/** A project's pictures as they were uploaded, in a folder for each design. Throws as `downloadDesign` does. */
export async function downloadProject(asked: Asked): Promise<Response> {
  const { id, belongings } = await open(asked);
  const { value } = await convexFor(asked.context).preload(api.projects.getProjectById, { id });
  return zipResponse(asked.request, value.name, (signal) => projectEntries(belongings, id, signal));
}

/**
 * The pictures of all that was chosen on a page, as the form of its check boxes names it. What cannot be done (nothing chosen, too much) is said
 * on the page that the form stands on. Throws as `downloadDesign` does, also where one of many is missing or foreign.
 */
export async function downloadSelection(request: Request, context: Readonly<RouterContextProvider>): Promise<Response> {
  const sent = await formOf(request);
  const ids = [...new Set(listOf(sent, CHOSEN_FIELD))];
  const kind = sent.get("kind") === "design" ? "design" : "image";
  const { belongings } = await open({ request, file: "", context });
  try {
    const { value } = await convexFor(context).preload(api.many.getName, { kind, ids });
    return zipResponse(request, value, (signal) => selectionEntries(belongings, kind, ids, signal));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code !== "invalid") throw error;
    tell(
      context,
      Object.values(refusal.fieldErrors ?? {})
        .flat()
        .join(" "),
    );
    return redirect(safeTarget(sent.get("back"), href("/projects")), 303);
  }
}

async function open({ request, file, context }: Asked) {
  const who = await visitor(context).catch((error: unknown) => {
    throw error instanceof Unavailable ? unavailableResponse() : error;
  });
  if (!who) throw toSignIn(request);
  return { id: file.replace(/\.zip$/, ""), belongings: belongingsOf(who.sessionId, context.get(configContext)) };
}
