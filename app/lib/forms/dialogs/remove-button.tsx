import { useMayRun } from "~/lib/rights/rights";
import { Button, type ButtonProps } from "~/lib/ui/inputs/button";
import { INTENT_FIELD, type IntentName, intentWith } from "../intents";
import { ALL_MENUS } from "./menu-forms";

type RemoveButtonProps = Omit<ButtonProps, "form"> & { intent: IntentName; values: Record<string, string>; form?: string };

export function RemoveButton({ intent, values, form = ALL_MENUS, ...rest }: RemoveButtonProps) {
  if (!useMayRun()(intent)) return null;
  return (
    <Button
      type="submit"
      form={form}
      name={INTENT_FIELD}
      value={intentWith(intent, values)}
      variant="ghost"
      size="icon-sm"
      data-command=""
      data-remove=""
      {...rest}
    />
  );
}
