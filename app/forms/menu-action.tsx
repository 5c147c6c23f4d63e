import type { ReactNode } from "react";
import { Form, useActionData } from "react-router";
import { MenuButton } from "~/ui/menu";
import type { FormAnswer } from "./answer";
import { FORM_FIELD, INTENT_FIELD } from "./intents";

/** How the names of such forms begin: what refuses them is told in passing (`liveAction`), or over the list without scripts. */
export const MENU_FORM = "menu-";

type MenuActionProps = {
  /** A name in the route's table of intents. */
  intent: string;
  /** What the intent is about. */
  values: Record<string, string>;
  icon: ReactNode;
  children: ReactNode;
};

/** Something that a menu does at once: a form of one button. With scripts it goes its way without a fetcher of its own in every row of a list. */
export function MenuAction({ intent, values, icon, children }: MenuActionProps) {
  const form = MENU_FORM + [intent, ...Object.values(values)].join("-");
  return (
    <Form method="post" navigate={false} fetcherKey={form}>
      <input type="hidden" name={INTENT_FIELD} value={intent} />
      <input type="hidden" name={FORM_FIELD} value={form} />
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <MenuButton icon={icon}>{children}</MenuButton>
    </Form>
  );
}

/** Why what a menu was to do was not done, for browsers without scripts. */
export function MenuRefusal() {
  const answer = useActionData<FormAnswer | undefined>();
  const told = answer?.form?.startsWith(MENU_FORM) ? Object.values(answer.result.error ?? {}).flat() : [];
  return told.length === 0 ? null : (
    <p role="alert" className="text-danger-text">
      {told.join(" ")}
    </p>
  );
}
