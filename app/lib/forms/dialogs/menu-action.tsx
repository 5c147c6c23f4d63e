import type { ReactNode, SubmitEvent } from "react";
import { useActionData, useSubmit } from "react-router";
import { useMayRun } from "~/lib/rights/rights";
import { MenuButton } from "~/lib/ui/overlays/menu";
import type { FormAnswer } from "../form-result";
import { FORM_FIELD, INTENT_FIELD, type IntentName, intentWith } from "../intents";
import { ItemMenuForm } from "./item-menu-form";
import { ALL_MENUS, MENU_FORM } from "./menu-forms";

type MenuActionProps = {
  intent: IntentName;
  values: Record<string, string>;
  icon: ReactNode;
  command?: string;
  form?: string;
  className?: string;
  danger?: boolean;
  children: ReactNode;
};

export function MenuAction({ intent, values, command, form = ALL_MENUS, children, ...rest }: MenuActionProps) {
  if (!useMayRun()(intent)) return null;
  return (
    <MenuButton form={form} name={INTENT_FIELD} value={intentWith(intent, values)} data-command={command} {...rest}>
      {children}
    </MenuButton>
  );
}

export function MenuForm() {
  return (
    <>
      <ActionForm id={ALL_MENUS} />
      <ItemMenuForm />
    </>
  );
}

export function ActionForm({ id }: { id: string }) {
  const submit = useSubmit();
  const answer = useActionData<FormAnswer | undefined>();
  const messages = answer?.form === id ? Object.values(answer.result.error ?? {}).flat() : [];

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent;
    const requested = submitter instanceof HTMLButtonElement ? submitter.value : "";
    void submit(new FormData(event.currentTarget, submitter), { method: "post", navigate: false, fetcherKey: MENU_FORM + requested });
  }

  return (
    <>
      <form id={id} method="post" onSubmit={send} className="hidden">
        <input type="hidden" name={FORM_FIELD} value={id} />
      </form>
      {messages.length === 0 ? null : (
        <p role="alert" className="text-danger-text">
          {messages.join(" ")}
        </p>
      )}
    </>
  );
}
