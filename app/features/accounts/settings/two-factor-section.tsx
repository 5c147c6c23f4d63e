import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { TextField } from "~/lib/forms/fields/text-field";
import { AccountForm, useAccountForm } from "./account-form";
import type { TwoFactorSetup } from "../account-answer";
import { BackupCodes } from "./backup-codes";
import { Section } from "./section";

type Constraint = Parameters<typeof useAccountForm>[0]["constraint"];
type Constraints = { password: Constraint; code: Constraint };
type Props = { on: boolean; codesLeft: number | null; hasPassword: boolean; constraints: Constraints };

const ABOUT = "Requires a code from an app on your phone at each sign-in, except with a passkey.";
const successTexts = { "two-factor-on": "Two-factor authentication turned on.", "two-factor-off": "Two-factor authentication turned off." };

export function TwoFactorSection({ on, codesLeft, hasPassword, constraints }: Props) {
  const enable = useAccountForm({ id: "two-factor-off", intent: "enableTwoFactor", constraint: constraints.password });
  const verify = useAccountForm({ id: "two-factor-verify", intent: "verifyTwoFactor", constraint: constraints.code });
  const disable = useAccountForm({ id: "two-factor-disable", intent: "disableTwoFactor", constraint: constraints.password });
  const isShownAsOn = verify.pending ? false : disable.pending || on;
  if (isShownAsOn)
    return <TwoFactorOn codesLeft={codesLeft} disable={disable} hasPassword={hasPassword} constraint={constraints.password} />;
  const setup = verify.answer?.setup ?? enable.answer?.setup;
  return (
    <Section title="Two-factor authentication" about={ABOUT}>
      {!hasPassword ? (
        <p className="text-soft">Two-factor authentication requires a password. Set one above first.</p>
      ) : setup ? (
        <SetUp setup={setup} state={verify} />
      ) : (
        <AccountForm state={enable} submit="Set up two-factor authentication" successTexts={successTexts}>
          <FormPasswordField field={enable.fields["password"]} label="Your password" autoComplete="current-password" />
        </AccountForm>
      )}
    </Section>
  );
}

/** Renders the setup. Sign-ins require the second factor only after a correct code, so that an unfinished setup locks out no user. */
function SetUp({ setup: { uri, secret, qr, codes }, state }: { setup: TwoFactorSetup; state: ReturnType<typeof useAccountForm> }) {
  return (
    <ol className="grid list-decimal gap-8 ps-5 marker:text-faint">
      <li className="ps-1">
        <div className="grid gap-3">
          <h3 className="font-medium">Scan this with your authenticator app</h3>
          <svg
            role="img"
            aria-label="QR code for your authenticator app"
            viewBox={`0 0 ${qr.size} ${qr.size}`}
            shapeRendering="crispEdges"
            className="size-52 rounded-lg"
          >
            <rect width={qr.size} height={qr.size} fill="#fff" />
            <path d={qr.path} fill="#000" />
          </svg>
          <p className="text-soft">
            Or type this key: <code className="font-mono text-ink select-all">{secret}</code>
          </p>
          <p>
            <a href={uri} className="text-accent-text underline underline-offset-4">
              Open in an app on this device
            </a>
          </p>
        </div>
      </li>
      <li className="ps-1">
        <div className="grid gap-3">
          <h3 className="font-medium">Save these backup codes</h3>
          <p className="text-soft">Use a code to sign in if you lose your phone. Each code works once. The codes are not shown again.</p>
          <BackupCodes codes={codes} />
        </div>
      </li>
      <li className="ps-1">
        <div className="grid gap-3">
          <h3 className="font-medium">Enter the code from the app</h3>
          <AccountForm state={state} submit="Turn on" variant="primary">
            <input type="hidden" name="uri" value={uri} />
            {codes.map((code) => (
              <input key={code} type="hidden" name="backupCode" value={code} />
            ))}
            <TextField
              field={state.fields["code"]}
              label="Code"
              inputMode="numeric"
              autoComplete="one-time-code"
              className="max-w-40"
              autoFocus={state.refusal !== undefined}
            />
          </AccountForm>
        </div>
      </li>
    </ol>
  );
}

type OnProps = Pick<Props, "codesLeft" | "hasPassword"> & { disable: ReturnType<typeof useAccountForm>; constraint: Constraint };

function TwoFactorOn({ codesLeft, disable, hasPassword, constraint }: OnProps) {
  const regenerate = useAccountForm({ id: "two-factor-on", intent: "backupCodes", constraint });
  const fresh = regenerate.answer?.codes;
  const left = fresh?.length ?? codesLeft;
  const source = left === null ? "sent by email" : "from your authenticator app";
  if (!hasPassword) {
    return (
      <Section title="Two-factor authentication" about={`On. Each sign-in, except with a passkey, requires a code ${source}.`}>
        <p className="text-soft">To turn it off or to generate new backup codes, set a password above first.</p>
      </Section>
    );
  }
  return (
    <>
      <Section title="Two-factor authentication" about={`On. Each sign-in, except with a passkey, requires a code ${source}.`}>
        <p role="status" className="text-soft empty:hidden">
          {regenerate.doneCode === "two-factor-on" ? successTexts["two-factor-on"] : ""}
        </p>
        {left === null ? null : (
          <>
            <div className="grid gap-1">
              <h3 className="font-medium">Backup codes</h3>
              <p className="text-soft">
                <strong className="tabular font-medium text-ink">{left}</strong> {left === 1 ? "code is" : "codes are"} left.{" "}
                {left < 3 ? "Generate new codes before you run out." : "Old codes stop working when you generate new ones."}
              </p>
            </div>
            {fresh ? <BackupCodes codes={fresh} /> : null}
            <AccountForm state={regenerate} submit="Generate new backup codes">
              <FormPasswordField
                key={fresh?.join()}
                field={regenerate.fields["password"]}
                label="Your password"
                autoComplete="current-password"
              />
            </AccountForm>
          </>
        )}
      </Section>
      <Section dangerous title="Turn off two-factor authentication" about="Sign-in no longer requires a code. Trusted devices are removed.">
        <AccountForm state={disable} submit="Turn off" variant="danger">
          <FormPasswordField field={disable.fields["password"]} label="Your password" autoComplete="current-password" />
        </AccountForm>
      </Section>
    </>
  );
}
