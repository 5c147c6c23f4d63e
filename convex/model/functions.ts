import { customMutation } from "convex-helpers/server/customFunctions";
import { internalMutation as plainInternalMutation, type MutationCtx } from "../_generated/server";
import { recordingRevocations } from "./revocations/recordRevocations";

/** Builds internal mutations, whose changes of access app servers notice (decision 227). */
export const internalMutation = customMutation(plainInternalMutation, {
  args: {},
  input: (ctx: MutationCtx) => recordingRevocations(ctx, async () => ({ ctx: {}, args: {} })),
});
