import { href, redirect, type RouterContextProvider } from "react-router";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { refusalOf, unavailableResponse } from "~/lib/data/error-responses";
import { FORM_FIELD, listOf, textOf } from "~/lib/forms/intents";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { SELECTED_FIELD, SELECTION_FIELDS } from "~/features/selection/address";
import { DIRECT_MAX, jobSelection, WHOLE_FIELDS, WHOLE_LISTS } from "~/features/selection/whole-selection";
import { api } from "#convex/_generated/api";
import { zipResponse } from "./zip-response.server";
import { contentReader } from "./content-reader.server";
import { designEntries, projectEntries, selectionEntries, wholeEntries } from "./archive-entries";
import type { SelectedPlace } from "./content-reader.server";

type DownloadRequest = { request: Request; file: string; context: Readonly<RouterContextProvider> };

/** @throws a redirect to sign-in, 503, or the same 404 for missing and foreign designs */
export async function downloadDesign(requested: DownloadRequest): Promise<Response> {
  const { id, userId, content, record } = await open(requested);
  const { value } = await convexFor(requested.context).preload(api.designs.getDesignById, { id });
  await record({ kind: "design", id });
  return zipResponse(requested.request, { name: value.name, userId, entries: (signal) => designEntries(content, id, signal) });
}

export async function downloadProject(requested: DownloadRequest): Promise<Response> {
  const { id, userId, content, record } = await open(requested);
  const { value } = await convexFor(requested.context).preload(api.projects.getProjectById, { id });
  await record({ kind: "project", id });
  return zipResponse(requested.request, { name: value.name, userId, entries: (signal) => projectEntries(content, id, signal) });
}

/** Reports an invalid selection on the submitting page; throws as `downloadDesign`, also for one missing item. */
export async function downloadSelection(request: Request, context: Readonly<RouterContextProvider>): Promise<Response> {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: [FORM_FIELD, ...SELECTION_FIELDS, ...WHOLE_FIELDS], repeated: [SELECTED_FIELD, ...WHOLE_LISTS] });
  const ids = [...new Set(listOf(sent, SELECTED_FIELD))];
  const kind = sent.get("kind") === "design" ? "design" : "image";
  const { userId, content, record } = await open({ request, file: "", context });
  const lists = Object.fromEntries(WHOLE_LISTS.map((name) => [name, listOf(sent, name)]));
  const whole = jobSelection(kind, { ids, all: textOf(sent, "all"), ...lists });
  try {
    if (whole?.place) {
      const { place } = whole;
      const selection = { ...whole, place, until: Date.now() };
      const name = await nameOf(context, place);
      await record(place);
      return zipResponse(request, { name, userId, entries: (signal) => wholeEntries(content, selection, signal) });
    }
    const { value } = await convexFor(context).preload(api.many.getName, { kind, ids: ids.slice(0, DIRECT_MAX) });
    await record();
    return zipResponse(request, { name: value, userId, entries: (signal) => selectionEntries(content, kind, ids, signal) });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code !== "invalid") throw error;
    setFlash(
      context,
      Object.values(refusal.fieldErrors ?? {})
        .flat()
        .join(" "),
    );
    return redirect(safeRedirectPath(sent.get("back"), href("/projects")), 303);
  }
}

async function nameOf(context: Readonly<RouterContextProvider>, { kind, id }: SelectedPlace): Promise<string> {
  const convex = convexFor(context);
  const { value } = await (kind === "design"
    ? convex.preload(api.designs.getDesignById, { id })
    : convex.preload(api.projects.getProjectById, { id }));
  return value.name;
}

async function open({ request, file, context }: DownloadRequest) {
  const visitor = await getVisitor(context).catch((error: unknown) => {
    throw error instanceof Unavailable ? unavailableResponse() : error;
  });
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  const { sessionId, userId } = visitor;
  return {
    id: file.replace(/\.zip$/, ""),
    userId,
    content: contentReader(visitor, config),
    record: async (target?: SelectedPlace): Promise<void> => {
      if (request.method === "HEAD") return;
      const download = { sessionId, of: "archive" as const, ...(target && { target }), ...clientNetwork(context) };
      await serviceConvex(config).mutation(api.auditLog.recordExport, download, { skipQueue: true });
    },
  };
}
