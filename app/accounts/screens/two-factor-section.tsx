import { FormPasswordField } from "~/forms/password-field";
import { TextField } from "~/forms/text-field";
import { AccountForm, useAccountForm } from "./account-form";
import type { TwoFactorSetup } from "./answer";
import { BackupCodes } from "./backup-codes";
import { Section } from "./section";

type Constraint = Parameters<typeof useAccountForm>[0]["constraint"];
type Constraints = { password: Constraint; code: Constraint };
type Props = { on: boolean; codesLeft: number | null; hasPassword: boolean; constraints: Constraints };

const ABOUT = "A code from an app on your phone, asked for whenever you sign in, except with a passkey.";
const said = { "two-factor-on": "Two-factor sign-in is on.", "two-factor-off": "Two-factor sign-in is off." };

/**
 * The second factor: off, being set up, or on. The forms that switch it are known here, and keep their part of the page standing while they are on
 * their way: the live answer comes before theirs, which leads on to a page of the new session.
 */
export function TwoFactorSection({ on, codesLeft, hasPassword, constraints }: Props) {
  const enable = useAccountForm({ id: "two-factor-off", intent: "enableTwoFactor", constraint: constraints.password });
  const verify = useAccountForm({ id: "two-factor-verify", intent: "verifyTwoFactor", constraint: constraints.code });
  const disable = useAccountForm({ id: "two-factor-disable", intent: "disableTwoFactor", constraint: constraints.password });
  const shownOn = verify.pending ? false : disable.pending || on;
  if (shownOn) return <TwoFactorOn codesLeft={codesLeft} disable={disable} hasPassword={hasPassword} constraint={constraints.password} />;
  const setup = verify.answer?.setup ?? enable.answer?.setup;
  return (
    <Section title="Two-factor sign-in" about={ABOUT}>
      {!hasPassword ? (
        <p className="text-soft">It protects a password, and you have none yet: set one above first.</p>
      ) : setup ? (
        <SetUp setup={setup} state={verify} />
      ) : (
        <AccountForm state={enable} submit="Set up two-factor sign-in" said={said}>
          <FormPasswordField field={enable.fields["password"]} label="Your password" autoComplete="current-password" />
        </AccountForm>
      )}
    </Section>
  );
}

/** It counts only once a code of the app was right: whoever stops before that is not locked out. */
function SetUp({ setup: { uri, secret, qr, codes }, state }: { setup: TwoFactorSetup; state: ReturnType<typeof useAccountForm> }) {
  return (
    <ol className="grid list-decimal gap-8 pl-5 marker:text-faint">
      <li className="pl-1">
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
      <li className="pl-1">
        <div className="grid gap-3">
          <h3 className="font-medium">Keep these backup codes</h3>
          <p className="text-soft">Each opens your account once, should your phone be lost. They are not shown again.</p>
          <BackupCodes codes={codes} />
        </div>
      </li>
      <li className="pl-1">
        <div className="grid gap-3">
          <h3 className="font-medium">Enter the code that the app shows</h3>
          <AccountForm state={state} submit="Turn on" look="primary">
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
  const by = left === null ? "that comes by email" : "from your authenticator app";
  if (!hasPassword) {
    return (
      <Section title="Two-factor sign-in" about={`On: whenever you sign in, except with a passkey, you are asked for a code ${by}.`}>
        <p className="text-soft">To turn it off, or to make new backup codes, set a password above first.</p>
      </Section>
    );
  }
  return (
    <>
      <Section title="Two-factor sign-in" about={`On: whenever you sign in, except with a passkey, you are asked for a code ${by}.`}>
        <p role="status" className="text-soft empty:hidden">
          {regenerate.said === "two-factor-on" ? said["two-factor-on"] : ""}
        </p>
        {left === null ? null : (
          <>
            <div className="grid gap-1">
              <h3 className="font-medium">Backup codes</h3>
              <p className="text-soft">
                <strong className="tabular font-medium text-ink">{left}</strong> {left === 1 ? "code is" : "codes are"} left.{" "}
                {left < 3 ? "Make new ones before you run out." : "New ones make the old ones worthless."}
              </p>
            </div>
            {fresh ? <BackupCodes codes={fresh} /> : null}
            <AccountForm state={regenerate} submit="Make new backup codes">
              <FormPasswordField
                // Empty again once it has made some: the next press is to be meant as well.
                key={fresh?.join()}
                field={regenerate.fields["password"]}
                label="Your password"
                autoComplete="current-password"
              />
            </AccountForm>
          </>
        )}
      </Section>
      <Section
        dangerous
        title="Turn off two-factor sign-in"
        about="Then one proof opens your account, and no device is trusted any more should you turn it on again."
      >
        <AccountForm state={disable} submit="Turn off" look="danger">
          <FormPasswordField field={disable.fields["password"]} label="Your password" autoComplete="current-password" />
        </AccountForm>
      </Section>
    </>
  );
}
