import type { ReactNode, SubmitEvent } from "react";
import { useActionData, useSubmit } from "react-router";
import { MenuButton } from "~/ui/menu";
import type { FormAnswer } from "./answer";
import { FORM_FIELD, INTENT_FIELD, intentWith } from "./intents";
import { ItemMenuForm } from "./item-menu";

/** How the names of such forms begin: what refuses them is told in passing (`liveAction`), or over the list without scripts. */
export const MENU_FORM = "menu-";

type MenuActionProps = {
  /** A name in the route's table of intents. */
  intent: string;
  /** What the intent is about. */
  values: Record<string, string>;
  icon: ReactNode;
  /** What the palette calls it, where it is about what the page is about. */
  command?: string;
  /** The form it belongs to, where that is not the page's own `MenuForm`. */
  form?: string;
  children: ReactNode;
};

/** The form to which the buttons of all menus of a page belong: a form of its own for each would be most of what a long list weighs. */
const ALL_MENUS = `${MENU_FORM}form`;

/** Something that a menu does at once: a button that says what, and about what. */
export function MenuAction({ intent, values, icon, command, form = ALL_MENUS, children }: MenuActionProps) {
  return (
    <MenuButton form={form} name={INTENT_FIELD} value={intentWith(intent, values)} icon={icon} data-command={command}>
      {children}
    </MenuButton>
  );
}

/** The forms of the menus of a page's items, which stand once on it: that of what they do, and that of how they are opened without scripts. */
export function MenuForm() {
  return (
    <>
      <ActionForm id={ALL_MENUS} />
      <ItemMenuForm />
    </>
  );
}

/** The form of what menus do; and why what a menu was to do was not done, for browsers without scripts. `id` begins with `MENU_FORM`. */
export function ActionForm({ id }: { id: string }) {
  const submit = useSubmit();
  const answer = useActionData<FormAnswer | undefined>();
  const told = answer?.form === id ? Object.values(answer.result.error ?? {}).flat() : [];

  /** Each its own way, so that the next does not take the place of one that is still on its way. */
  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent;
    const asked = submitter instanceof HTMLButtonElement ? submitter.value : "";
    void submit(new FormData(event.currentTarget, submitter), { method: "post", navigate: false, fetcherKey: MENU_FORM + asked });
  }

  return (
    <>
      <form id={id} method="post" onSubmit={send} className="hidden">
        <input type="hidden" name={FORM_FIELD} value={id} />
      </form>
      {told.length === 0 ? null : (
        <p role="alert" className="text-danger-text">
          {told.join(" ")}
        </p>
      )}
    </>
  );
}
