import type { FunctionReturnType } from "convex/server";
import { TextField } from "~/lib/forms/fields/text-field";
import { CopyField } from "~/lib/ui/inputs/copy-field";
import { Field } from "~/lib/ui/inputs/field";
import { Select } from "~/lib/ui/inputs/select";
import { isolate } from "~/lib/ui/isolate";
import { Day } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { api } from "#convex/_generated/api";
import { AccountForm, useAccountForm } from "./account-form";

export type ShownToken = FunctionReturnType<typeof api.accounts.accessTokens.list>[number];
type Scope = ShownToken["scopes"][number];

const SCOPES: { scope: Scope; label: string; hint: string }[] = [
  { scope: "read", label: "Read", hint: "See projects, designs, images and comments, and download files" },
  { scope: "write", label: "Upload", hint: "Add images to designs" },
  { scope: "comment", label: "Comment", hint: "Write comments" },
];
const LIFETIMES = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never" },
];

export function CreateAccessToken() {
  const state = useAccountForm({ id: "create-token", intent: "createAccessToken", defaultValue: { read: "yes", expires: "90" } });
  const token = state.answer?.accessToken;
  return (
    <div className="grid gap-4">
      <AccountForm state={state} submit="Create token" variant="primary">
        <TokenFields state={state} />
      </AccountForm>
      <div role="status" className="grid gap-2 text-sm text-soft empty:hidden">
        {token === undefined ? null : (
          <>
            <p>Copy the token now. It is not shown again.</p>
            <CopyField value={token} label="The new token" copied="Token copied" />
          </>
        )}
      </div>
    </div>
  );
}

function TokenFields({ state: { id, fields, refusal } }: { state: ReturnType<typeof useAccountForm> }) {
  const sent = refusal?.result.initialValue;
  const problem = refusal?.result.error?.["read"];
  const expires = fields["expires"];
  return (
    <>
      <TextField field={fields["name"]} label="Name" autoComplete="off" hint="For example the program that uses it" />
      <fieldset className="grid gap-1" aria-describedby={problem ? `${id}-scopes-error` : undefined}>
        <legend className="mb-1 font-medium">Permissions</legend>
        {SCOPES.map(({ scope, label, hint }) => (
          <div key={scope} className="flex flex-wrap items-center gap-x-2">
            <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                name={scope}
                value="yes"
                aria-describedby={`${id}-${scope}-hint`}
                defaultChecked={sent ? sent[scope] === "yes" : scope === "read"}
              />
              {label}
            </label>
            <span id={`${id}-${scope}-hint`} className="text-sm text-faint">
              {hint}
            </span>
          </div>
        ))}
        {problem ? (
          <p id={`${id}-scopes-error`} className="text-sm text-danger-text">
            {problem.join(" ")}
          </p>
        ) : null}
      </fieldset>
      {expires ? (
        <Field htmlFor={expires.id} label="Expires after" errorId={expires.errorId} errors={expires.errors}>
          <Select id={expires.id} name="expires" defaultValue={typeof expires.initialValue === "string" ? expires.initialValue : "90"}>
            {LIFETIMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        </Field>
      ) : null}
    </>
  );
}

export function AccessTokenRow({ token: { _id, name, scopes, createdAt, expiresAt, lastUsedAt } }: { token: ShownToken }) {
  const state = useAccountForm({ id: `revoke-${_id}`, intent: "revokeAccessToken" });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div className="grid min-w-0 gap-0.5">
        <h3 dir="auto" className="text-base font-medium wrap-anywhere">
          {name}
        </h3>
        <p className="text-sm text-faint">
          {SCOPES.filter(({ scope }) => scopes.includes(scope))
            .map(({ label }) => label)
            .join(", ")}
          {" · Created "}
          <RelativeTime at={createdAt} />
          {" · "}
          {lastUsedAt === null ? (
            "Never used"
          ) : (
            <>
              Last used <RelativeTime at={lastUsedAt} />
            </>
          )}
          {" · "}
          <Expiry at={expiresAt} />
        </p>
      </div>
      <AccountForm
        state={state}
        className="grid gap-3"
        hidden={{ id: _id }}
        submit={
          <>
            Revoke<span className="sr-only"> {isolate(name)}</span>
          </>
        }
      />
    </div>
  );
}

function Expiry({ at }: { at: number | null }) {
  return at === null ? (
    "Does not expire"
  ) : (
    <>
      Expires <Day at={at} />
    </>
  );
}
