import type { useIntentForm } from "./intent-form";

/**
 * How a dialog stands around its form: away while the form is on its way, as what it does is then already shown, and once it was taken; back
 * with each refusal; otherwise as it was asked for.
 */
export function dialogState({ pending, done, refusal }: ReturnType<typeof useIntentForm>, asked?: object): object | false | undefined {
  return pending || done ? false : (refusal ?? asked);
}
