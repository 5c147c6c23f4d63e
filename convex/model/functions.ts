import { customMutation } from "convex-helpers/server/customFunctions";
import { internalMutation as plainInternalMutation, type MutationCtx } from "../_generated/server";
import { recordingAccessChanges } from "./revocations/recordAccessChanges";

/** Builds internal mutations, whose changes of access app servers notice (decision 227). */
export const internalMutation = customMutation(plainInternalMutation, {
  args: {},
  input: (ctx: MutationCtx) => recordingAccessChanges(ctx, async () => ({ ctx: {}, args: {} })),
});
