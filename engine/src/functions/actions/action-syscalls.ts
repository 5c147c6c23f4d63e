import type { Identity, Json } from "../../values/types.ts";
import { resolveAddress, showFunctionPath, type ComponentPath } from "../paths.ts";
import type { TransactorRequestName, TransactorRequests, WireRun } from "../transactor/transactor-protocol.ts";
import { callWithText } from "../call.ts";
import { fileMetadata } from "../files/stored-files.ts";
import { asAddress, asNumber, asString, type Arguments } from "../isolate/syscall-arguments.ts";
import type { NodeSettings } from "../node/node-process.ts";
import type { Call, FunctionRunner, Outcome } from "../types.ts";

export type ActionsHost = {
  dir: string;
  runner: Pick<FunctionRunner, "queries" | "mutation" | "vectorSearch" | "files">;
  /** Runs in the slot of the calling action, so it does not count towards the limit of concurrent actions. */
  runAction: FunctionRunner["action"];
  redactErrors: boolean;
  nodeSettings: NodeSettings;
  warn: (line: string) => void;
  request: <K extends TransactorRequestName>(kind: K, params: TransactorRequests[K]["params"]) => Promise<TransactorRequests[K]["answer"]>;
  log: (run: WireRun, identity: Identity["kind"]) => void;
};

type Caller = { component: ComponentPath; identity: Identity; argsText: string | null };

const NO_IDENTITY: Identity = { kind: "none" };

export async function answerSyscall(
  { runner, runAction, request }: ActionsHost,
  op: string,
  args: Arguments,
  caller: Caller,
): Promise<unknown> {
  const { component } = caller;
  switch (op) {
    case "1.0/actions/query": {
      const [outcome] = await runner.queries([callOf(args, caller)]);
      return resultText(outcome);
    }
    case "1.0/actions/mutation":
      return resultText(await runner.mutation(callOf(args, caller)));
    case "1.0/actions/action":
      return resultText(await runAction(callOf(args, caller)));
    case "1.0/actions/vectorSearch": {
      const results = await runner.vectorSearch(args["query"] ?? null, component);
      return JSON.stringify({ results: results.map(({ id, score }) => ({ _id: id, _score: score })) });
    }
    case "1.0/actions/schedule": {
      const { name, functionHandle, reference } = asAddress(args);
      const address: Json = { ...(name && { name }), ...(functionHandle && { functionHandle }), ...(reference && { reference }) };
      return JSON.stringify(await request("schedule", { component, address, args: args["args"] ?? {}, at: asNumber(args["ts"]) * 1_000 }));
    }
    case "1.0/actions/cancel_job":
      await request("cancelJob", { component, id: asString(args["id"]) });
      return "null";
    case "1.0/storageGetUrl":
      return JSON.stringify((await request("findFileById", { component, id: asString(args["storageId"]) }))?.url ?? null);
    case "1.0/storageGetMetadata": {
      const file = await request("findFileById", { component, id: asString(args["storageId"]) });
      return JSON.stringify(file && fileMetadata(file));
    }
    case "1.0/storageGenerateUploadUrl":
      return JSON.stringify(await request("uploadUrl", { component }));
    case "1.0/storageDelete":
      await request("deleteFile", { component, id: asString(args["storageId"]) });
      return "null";
    case "storage/getBlob": {
      const file = await request("findFileById", { component, id: asString(args["storageId"]) });
      return file && { ...file, path: await runner.files.verify(file) };
    }
    default:
      throw new Error(`Unknown operation ${op}`);
  }
}

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

function callOf(args: Arguments, caller: Caller): Call {
  const { path, visibility } = resolveAddress(asAddress(args), caller.component);
  const identity = path.component === caller.component ? caller.identity : NO_IDENTITY;
  return callWithText(caller.argsText ?? "{}", { path: showFunctionPath(path), component: path.component, identity, visibility });
}
