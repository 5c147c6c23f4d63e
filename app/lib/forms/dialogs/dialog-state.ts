import type { useIntentForm } from "../intent-form";

export function dialogState({ pending, done, refusal }: ReturnType<typeof useIntentForm>, requested?: object): object | false | undefined {
  return pending || done ? false : (refusal ?? requested);
}
