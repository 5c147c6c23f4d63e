import type { useIntentForm } from "../intent-form";

/** Closes a dialog while its form is pending or done, and opens it again for a rejection. */
export function dialogState({ pending, done, refusal }: ReturnType<typeof useIntentForm>, requested?: object): object | false | undefined {
  return pending || done ? false : (refusal ?? requested);
}
