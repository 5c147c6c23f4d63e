/** Changes that administrators make in the dashboard. Each call is one transaction. */
import { APP } from "../functions/paths.ts";
import type { Call, DataEdit, FunctionRunner, Outcome } from "../functions/types.ts";
import { isObject } from "../http/body.ts";
import type { Json } from "../values/types.ts";
import { textOf, type Arguments } from "./system-arguments.ts";

/** The maximum that one function may write. */
const MAX_DOCUMENTS = 8_000;

const EDITS: Record<string, (args: Arguments) => Edit> = {
  "_system/dashboard/insert": ({ table, documents }) => ({
    kind: "insert",
    table: textOf("table", table),
    documents: listOf("documents", documents),
  }),
  "_system/dashboard/replace": ({ id, document = null, before = null }) => ({ kind: "replace", id: textOf("id", id), document, before }),
  "_system/dashboard/delete": ({ ids }) => ({ kind: "delete", ids: idsOf(ids) }),
  "_system/dashboard/deleteFiles": ({ ids }) => ({ kind: "deleteFiles", ids: idsOf(ids) }),
  "_system/dashboard/cancelJobs": ({ ids }) => ({ kind: "cancelJobs", ids: idsOf(ids) }),
};

type WithoutComponent<T> = T extends DataEdit ? Omit<T, "component"> : never;
type Edit = WithoutComponent<DataEdit>;

export function createSystemMutations(runner: Pick<FunctionRunner, "editData" | "files">): (call: Call) => Promise<Outcome> {
  return async ({ path, component = APP, args, identity }) => {
    if (identity.kind !== "admin") return failed(`${path} needs the deployment's admin key.`);
    if (path === "_system/dashboard/uploadToken") return succeeded(runner.files.issueUploadToken(component));
    const edit = EDITS[path];
    if (!edit) return failed(`Could not find public function for '${path}'. This deployment does not offer it.`);
    try {
      const result = await runner.editData({ ...edit(isObject(args) ? args : {}), component });
      return "refused" in result ? failed(result.refused) : succeeded(result.ids);
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  };
}

const succeeded = (value: Json): Outcome => ({ ok: true, value, logLines: [] });
const failed = (message: string): Outcome => ({ ok: false, message, logLines: [] });

function listOf(name: string, value: Json | undefined): Json[] {
  if (!Array.isArray(value) || value.length > MAX_DOCUMENTS) throw new Error(`\`${name}\` must be an array of at most ${MAX_DOCUMENTS}.`);
  return value;
}

const idsOf = (value: Json | undefined): string[] => listOf("ids", value).map((id) => textOf("ids", id));
