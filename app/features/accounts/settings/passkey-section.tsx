import type { FunctionReturnType } from "convex/server";
import { type FormEvent, useEffect, useState } from "react";
import { useRevalidator } from "react-router";
import { isolate } from "~/lib/ui/isolate";
import { TextField } from "~/lib/forms/fields/text-field";
import { Button } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { RowList } from "~/lib/ui/row-list";
import type { api } from "#convex/_generated/api";
import { NO_PASSKEYS, type PasskeySupport, passkeySupport } from "../passkeys/passkey-support";
import { createPasskey, PasskeyError, stepUp } from "../passkeys/passkeys";
import { AccountForm, PasswordPanel, useAccountForm } from "./account-form";
import { Section } from "./section";
import { SignInAgain } from "./sign-in-again";

type Passkey = FunctionReturnType<typeof api.accounts.mine.getSecurity>["passkeys"][number];

export function PasskeySection({ passkeys, hasPassword }: { passkeys: Passkey[]; hasPassword: boolean }) {
  return (
    <Section title="Passkeys" about="Sign in with your fingerprint, your face or a security key, without a password.">
      {passkeys.length > 0 ? (
        <RowList>
          {passkeys.map((passkey) => (
            <li key={passkey.id} className="bg-card p-4">
              <PasskeyRow passkey={passkey} />
            </li>
          ))}
        </RowList>
      ) : null}
      <AddPasskey hasPassword={hasPassword} />
    </Section>
  );
}

function PasskeyRow({ passkey: { id, name, createdAt, backedUp } }: { passkey: Passkey }) {
  const rename = useAccountForm({ id: `rename-${id}`, intent: "renamePasskey", defaultValue: { name: name ?? "" } });
  const remove = useAccountForm({ id: `remove-${id}`, intent: "removePasskey" });
  const called = name ?? "Passkey";
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="grid gap-0.5">
        <h3 dir="auto" className="text-base font-medium wrap-anywhere">
          {called}
        </h3>
        <p className="text-sm text-faint">
          {createdAt === null ? null : (
            <>
              Created <RelativeTime at={createdAt} /> ·{" "}
            </>
          )}
          {backedUp ? "Synced across your devices" : "Single device"}
        </p>
      </div>
      <div className="flex flex-wrap items-start gap-2 has-[details[open]]:basis-full">
        <details className="max-w-md open:basis-full">
          <summary className="inline-flex h-9 cursor-pointer list-none items-center rounded-md border bg-card px-3.5 font-medium hover:bg-hover pointer-coarse:h-11 [&::-webkit-details-marker]:hidden">
            Rename<span className="sr-only">&nbsp;{isolate(called)}</span>
          </summary>
          <AccountForm
            state={rename}
            hidden={{ id }}
            className="mt-3 grid gap-3"
            submit="Save name"
            successTexts={{ [rename.id]: "Saved." }}
          >
            <TextField field={rename.fields["name"]} label="Name of the passkey" autoComplete="off" />
          </AccountForm>
        </details>
        <AccountForm
          state={remove}
          hidden={{ id }}
          className="grid gap-3"
          submit={
            <>
              Remove<span className="sr-only"> {isolate(called)}</span>
            </>
          }
        />
      </div>
    </div>
  );
}

type Stage = { at: "start" | "stale" } | { at: "working"; needsPassword: boolean } | { at: "failed" | "wrong"; problem: string };

function AddPasskey({ hasPassword }: { hasPassword: boolean }) {
  // Only the browser can detect support. The server renders the form, because most browsers support passkeys.
  const [support, setSupport] = useState<PasskeySupport>("available");
  useEffect(() => setSupport(passkeySupport()), []);
  const [stage, setStage] = useState<Stage>({ at: "start" });
  const { revalidate } = useRevalidator();

  const needsPassword = stage.at === "working" ? stage.needsPassword : stage.at === "stale" || stage.at === "wrong";

  async function add(event: FormEvent<HTMLFormElement>) {
    if (event.nativeEvent instanceof SubmitEvent && event.nativeEvent.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    const form = event.currentTarget;
    const sent = new FormData(form);
    setStage({ at: "working", needsPassword });
    try {
      const password = sent.get("password");
      if (typeof password === "string") await stepUp(password);
      const name = sent.get("name");
      await createPasskey(typeof name === "string" ? name.trim() : "");
      form.reset();
      setStage({ at: "start" });
      await revalidate();
    } catch (error) {
      if (!(error instanceof PasskeyError)) throw error;
      if (error.kind === "stale") return setStage({ at: "stale" });
      setStage({ at: error.kind === "failed" && sent.has("password") ? "wrong" : "failed", problem: error.message });
    }
  }

  if (support !== "available") return <p className="text-soft">{NO_PASSKEYS[support]}</p>;
  return (
    <>
      <p className="hidden text-soft noscript:block">
        Adding a passkey requires JavaScript. You can rename and remove existing passkeys without it.
      </p>
      <form className="grid max-w-md gap-4 noscript:hidden" onSubmit={(event) => void add(event)}>
        <Field
          htmlFor="passkey-name"
          label="Passkey name"
          errorId="passkey-error"
          hint="For example, the device's name"
          hintId="passkey-hint"
        >
          <TextInput id="passkey-name" name="name" maxLength={100} autoComplete="off" aria-describedby="passkey-hint" />
        </Field>
        <p role="alert" className="text-sm text-danger-text empty:hidden">
          {stage.at === "failed" ? stage.problem : null}
        </p>
        {needsPassword && hasPassword ? (
          <PasswordPanel id="passkey-password" name="password" errors={stage.at === "wrong" ? [stage.problem] : undefined} />
        ) : null}
        {needsPassword && !hasPassword ? <SignInAgain /> : null}
        <Button type="submit" className="justify-self-start" aria-disabled={stage.at === "working"}>
          Add a passkey
        </Button>
      </form>
    </>
  );
}
