import { queryEnvironment, setEnvironment, type Target } from "../deployment/push.ts";

/** The variable that makes the app's mutations refuse (`convex/model/readOnly.ts`). Its value stores the reason for this command. */
const VARIABLE = "READ_ONLY";

export type ReadOnlyReason = `source of ${string}` | `target of ${string}` | "moved";

export const setReadOnly = (deployment: Target, reason: ReadOnlyReason | null): Promise<void> =>
  setEnvironment(deployment, { [VARIABLE]: reason });

export async function readOnlyReason(deployment: Target): Promise<string | null> {
  return (await queryEnvironment(deployment))[VARIABLE] ?? null;
}

export async function ownVariables(deployment: Target): Promise<Record<string, string>> {
  const { [VARIABLE]: _, ...variables } = await queryEnvironment(deployment);
  return variables;
}
