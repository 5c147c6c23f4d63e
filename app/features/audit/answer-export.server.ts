import type { RouterContextProvider } from "react-router";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { notFoundResponse, refusalOf } from "~/lib/data/error-responses";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { EXPORT_FORMATS, exportEvents } from "./export-events.server";

type Convex = ReturnType<typeof serviceConvex>;

type RequestedExport = {
  name: string;
  withPeople?: boolean;
  /** Stores the export in the audit log. HEAD stores none. */
  record: (convex: Convex, exported: { sessionId: string; address?: string }) => Promise<unknown>;
  events: (convex: Convex, sessionId: string) => AsyncIterable<Record<string, unknown>>;
};

/** Answers with a file of events, or 400 for an unknown format. Throws a redirect without a session, and 404 without the right. */
export async function answerExport(
  { request, context, url }: { request: Request; context: Readonly<RouterContextProvider>; url: URL },
  { name, withPeople, record, events }: RequestedExport,
): Promise<Response> {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  const requested = url.searchParams.get("format") ?? "csv";
  const format = EXPORT_FORMATS.find((each) => each === requested);
  if (!format) {
    const text = `The format must be ${EXPORT_FORMATS.join(" or ")}.\n`;
    return new Response(text, { status: 400, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  }
  const convex = serviceConvex(context.get(configContext));
  const dated = `${name}-${new Date().toISOString().slice(0, 10)}`;
  try {
    if (request.method === "GET") await record(convex, { sessionId, ...clientNetwork(context) });
    return exportEvents(request, { name: dated, userId, format, withPeople, events: () => events(convex, sessionId) });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found") throw notFoundResponse();
    // The visitor's token can outlive an ended session.
    throw code === "unauthenticated" ? redirectToSignIn(request) : error;
  }
}
