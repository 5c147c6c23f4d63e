import type { Authenticator } from "../auth/authenticate.ts";
import type { FunctionRunner } from "../functions/types.ts";
import { readJsonObject } from "../http/body.ts";
import { badRequest } from "../http/errors.ts";
import { json } from "../http/reply.ts";
import type { Routes } from "../http/router.ts";

export function backupRoutes(runner: Pick<FunctionRunner, "hold" | "release">, authenticator: Authenticator): Routes {
  return {
    "POST /api/backup/hold": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      return json({ hold: await runner.hold() });
    },
    "POST /api/backup/release": async ({ request }) => {
      await authenticator.requireAdmin(request.headers.authorization);
      const { hold } = await readJsonObject(request);
      if (typeof hold !== "string") throw badRequest("`hold` must be the id that /api/backup/hold returned.");
      return json({ unbroken: await runner.release(hold) });
    },
  };
}
