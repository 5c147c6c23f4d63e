/** What running actions ask of the database and the files, answered on the main thread. */
import type { Identity, Json } from "../values/types.ts";
import { resolveAddress, showFunctionPath } from "./paths.ts";
import type { QuestionName, Questions, WireRun } from "./protocol.ts";
import { asAddress, asNumber, asString, type Arguments } from "./syscall-arguments.ts";
import type { Call, FunctionRunner, Outcome } from "./types.ts";

/** What actions need of the rest. */
export type ActionsHost = {
  dir: string;
  runner: Pick<FunctionRunner, "queries" | "mutation" | "action" | "files">;
  ask: <K extends QuestionName>(kind: K, ask: Questions[K]["ask"]) => Promise<Questions[K]["answer"]>;
  log: (run: WireRun, identity: Identity["kind"]) => void;
};

/** @throws CalledFunctionError when a function that the action called has failed. */
export async function answerSyscall({ runner, ask }: ActionsHost, op: string, args: Arguments, identity: Identity): Promise<unknown> {
  switch (op) {
    case "1.0/actions/query": {
      const [outcome] = await runner.queries([callOf(args, identity)]);
      return resultText(outcome);
    }
    case "1.0/actions/mutation":
      return resultText(await runner.mutation(callOf(args, identity)));
    case "1.0/actions/action":
      return resultText(await runner.action(callOf(args, identity)));
    case "1.0/actions/schedule": {
      const { name, functionHandle, reference } = asAddress(args);
      const address: Json = { ...(name && { name }), ...(functionHandle && { functionHandle }), ...(reference && { reference }) };
      return JSON.stringify(await ask("schedule", { address, args: args["args"] ?? {}, at: asNumber(args["ts"]) * 1_000 }));
    }
    case "1.0/actions/cancel_job":
      await ask("cancelJob", { id: asString(args["id"]) });
      return "null";
    case "1.0/storageGetUrl":
      return JSON.stringify((await ask("findFileById", { id: asString(args["storageId"]) }))?.url ?? null);
    case "1.0/storageGetMetadata": {
      const file = await ask("findFileById", { id: asString(args["storageId"]) });
      return JSON.stringify(file && { storageId: file.id, sha256: file.sha256, size: file.size, contentType: file.contentType });
    }
    case "1.0/storageGenerateUploadUrl":
      return JSON.stringify(await ask("uploadUrl", null));
    case "1.0/storageDelete":
      await ask("deleteFile", { id: asString(args["storageId"]) });
      return "null";
    case "storage/getBlob":
      return ask("findFileById", { id: asString(args["storageId"]) });
    default:
      throw new Error(`Unknown operation ${op}`);
  }
}

/** A function that an action called has failed: the action catches this, with the data of a ConvexError. */
export class CalledFunctionError extends Error {
  readonly data: Json | undefined;

  constructor(message: string, data: Json | undefined) {
    super(message);
    this.data = data;
  }
}

function resultText(outcome: Outcome | undefined): string {
  if (!outcome) throw new Error("A call has no outcome.");
  if (!outcome.ok) throw new CalledFunctionError(outcome.message, outcome.data);
  return outcome.valueText ?? JSON.stringify(outcome.value);
}

/** Functions called by functions may be internal, and run as the same user. */
const callOf = (args: Arguments, identity: Identity): Call => ({
  path: showFunctionPath(resolveAddress(asAddress(args))),
  args: args["args"] ?? {},
  identity,
  visibility: "any",
});
