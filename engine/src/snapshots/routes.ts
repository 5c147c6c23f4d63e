/** The requests of `npx convex export` and `npx convex import` (`convex/src/cli/lib/{convexExport,convexImport}.ts`). */
import type { IncomingMessage } from "node:http";
import type { Authenticator } from "../auth/authenticate.ts";
import { APP, requestedComponent } from "../functions/paths.ts";
import { isObject, readJsonObject } from "../http/body.ts";
import { badRequest, RequestError } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import type { Handler, Routes } from "../http/router.ts";
import { timedBody } from "../http/storage.ts";
import { isDiskFull } from "../storage/disk-full.ts";
import type { Json } from "../values/types.ts";
import type { Exports } from "./exports.ts";
import type { Imports } from "./imports.ts";
import { IMPORT_FORMATS, IMPORT_MODES, type ImportRequest } from "./stage-import.ts";

/** The command line sends 5 MiB, or a 9,999th of a larger file. */
const PART_MAX_BYTES = 1024 ** 3;

type Options = { exports: Exports; imports: Imports; authenticator: Authenticator };

export function snapshotRoutes({ exports, imports, authenticator }: Options): Routes {
  const forAdmins =
    (handler: Handler): Handler =>
    async (exchange) => {
      await authenticator.requireAdmin(exchange.request.headers.authorization);
      return handler(exchange);
    };
  const importIdOf = async (request: IncomingMessage): Promise<string> => {
    const { importId } = await readJsonObject(request);
    if (typeof importId !== "string") throw badRequest("`importId` must be the id that /api/import/finish_upload returned.");
    return importId;
  };

  return {
    "POST /api/export/request/zip": forAdmins(({ query }) => {
      exports.request(query.get("includeStorage") === "true");
      return json({});
    }),
    "GET /api/export/zip/*": forAdmins(async ({ rest }) => {
      const { stream, size, name } = await exports.open(rest);
      const headers = {
        "Content-Type": "application/zip",
        "Content-Length": size,
        "Content-Disposition": `attachment; filename=${name}`,
        "Cache-Control": "no-store",
      };
      return { status: 200, headers, body: stream };
    }),
    "POST /api/import/start_upload": forAdmins(async () => json({ uploadToken: await imports.startUpload() })),
    "POST /api/import/upload_part": forAdmins(async ({ request, query }) => {
      const part = Number(query.get("partNumber"));
      await imports.storePart(query.get("uploadToken") ?? "", part, timedBody(request, PART_MAX_BYTES)).catch((error: unknown) => {
        if (isDiskFull(error)) throw new RequestError(507, "InsufficientStorage", "The disk is too full for the import.");
        if (request.destroyed && !request.complete) throw badRequest("The upload was interrupted.", "UploadAborted");
        throw error;
      });
      return json(String(part));
    }),
    "POST /api/import/finish_upload": forAdmins(async ({ request }) => {
      const { import: requested, uploadToken } = await readJsonObject(request);
      return json({ importId: await imports.finishUpload(typeof uploadToken === "string" ? uploadToken : "", readRequest(requested)) });
    }),
    "POST /api/perform_import": forAdmins(async ({ request }) => {
      imports.perform(await importIdOf(request));
      return json({});
    }),
    "POST /api/cancel_import": forAdmins(async ({ request }) => {
      await imports.cancel(await importIdOf(request));
      return json({});
    }),
  };
}

function readRequest(requested: Json | undefined): ImportRequest {
  const { tableName = null, componentPath = null, mode, format } = isObject(requested) ? requested : {};
  if (tableName !== null && typeof tableName !== "string") throw badRequest("`tableName` must be a string.");
  if (componentPath !== null && typeof componentPath !== "string") throw badRequest("`componentPath` must be a string.");
  return {
    table: tableName,
    component: componentPath === null ? APP : requestedComponent(componentPath),
    mode: oneOf("mode", IMPORT_MODES, mode),
    format: oneOf("format", IMPORT_FORMATS, format),
  };
}

function oneOf<T extends string>(name: string, values: readonly T[], value: Json | undefined): T {
  const found = values.find((known) => known === value);
  if (found === undefined) throw badRequest(`\`${name}\` must be one of ${values.join(", ")}.`);
  return found;
}
