import { setTimeout as sleep } from "node:timers/promises";
import { ConvexError, convexToJson, jsonToConvex, type JSONValue, type Value } from "convex/values";
import * as z from "zod";
import { callDeployment, DeploymentRefusal, type Target } from "../deployment/push.ts";

const answerSchema = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("success"), value: z.json() }),
  z.looseObject({ status: z.literal("error"), errorMessage: z.string(), errorData: z.json().optional() }),
]);

export type Arguments = Record<string, Value>;

export const callFunction = (target: Target, path: string, args: Arguments): Promise<unknown> =>
  call(target, "/api/function", { path, args: convexToJson(args) });

export const callSystemQuery = (target: Target, path: string, args: Arguments = {}): Promise<unknown> =>
  call(target, "/api/query", { path, args: [convexToJson(args)] });

const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** Repeats calls that an overloaded deployment refuses and mutations that conflict. Calls must be repeatable. */
async function call(target: Target, address: string, body: Record<string, JSONValue>): Promise<unknown> {
  const answer = answerSchema.parse(await repeated(() => callDeployment(target, address, { ...body, format: "convex_encoded_json" })));
  if (answer.status === "success") return jsonToConvex(answer.value);
  throw answer.errorData === undefined ? new Error(answer.errorMessage) : new ConvexError(jsonToConvex(answer.errorData));
}

async function repeated(send: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await send();
    } catch (error) {
      const isTemporary = error instanceof DeploymentRefusal && error.status === 503;
      if (!isTemporary || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS * attempt);
    }
}

export const pageSchema = z.looseObject({ cursor: z.string(), isDone: z.boolean() });

export async function* callForPages<Page extends z.infer<typeof pageSchema>>(
  target: Target,
  path: string,
  schema: z.ZodType<Page>,
): AsyncGenerator<Page> {
  for (let cursor: string | null = null; ;) {
    const page: Page = schema.parse(await callFunction(target, path, { cursor }));
    yield page;
    if (page.isDone) return;
    cursor = page.cursor;
  }
}
