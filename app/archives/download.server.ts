import type { RouterContextProvider } from "react-router";
import { toSignIn, visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { unavailableResponse } from "~/data/refusals";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { api } from "#convex/_generated/api";
import { zipResponse } from "./archive.server";
import { belongingsOf } from "./belongings.server";
import { designEntries, projectEntries } from "./contents";

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

async function open({ request, file, context }: Asked) {
  const who = await visitor(context).catch((error: unknown) => {
    throw error instanceof Unavailable ? unavailableResponse() : error;
  });
  if (!who) throw toSignIn(request);
  return { id: file.replace(/\.zip$/, ""), belongings: belongingsOf(who.sessionId, context.get(configContext)) };
}
