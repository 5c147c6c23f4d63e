import { Download } from "lucide";
import { href } from "react-router";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { accountAction } from "~/features/accounts/account-action.server";
import { dataIntents, deletionFields } from "~/features/accounts/settings/deletion.server";
import { confirmationOf } from "~/features/accounts/settings/confirmation";
import { Section } from "~/features/accounts/settings/section";
import { convexFor } from "~/lib/data/convex.server";
import { useLive } from "~/lib/data/use-live";
import { useRoot } from "~/lib/data/use-root";
import { constraintOf } from "~/lib/forms/constraint.server";
import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { TextField } from "~/lib/forms/fields/text-field";
import { configContext } from "~/lib/http/context";
import type { PreloadOf } from "~/lib/data/preload";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.data";

export const meta: Route.MetaFunction = () => [{ title: "Data · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const canDelete = context.get(configContext).accounts.deleteUser;
  const [security, shared] = await Promise.all([
    convex.preload(api.accounts.mine.getSecurity, {}),
    canDelete ? convex.preload(api.members.listOwnShared, {}) : null,
  ]);
  return {
    security,
    shared,
    canDelete,
    constraint: constraintOf(deletionFields),
  };
}

export const action = accountAction(dataIntents);

export default function Data({ loaderData: { security, shared, canDelete, constraint } }: Route.ComponentProps) {
  const { hasPassword } = useLive(security);
  const user = useRoot()?.user;
  if (!user) return null;
  return (
    <>
      <Section
        title="Export data"
        about="A ZIP archive of your data: account, projects, designs and their history as JSON, and every original image, including earlier versions and the trash."
      >
        <div>
          <a href={href("/account/export")} download className={buttonClass()}>
            <Icon of={Download} />
            Download data
          </a>
        </div>
      </Section>
      {canDelete ? (
        <Section
          dangerous
          title="Delete your account"
          about="Deletes your account with all its projects, designs and images, for everyone who can see them. This cannot be undone."
        >
          {shared ? <SharedProjects preloaded={shared} /> : null}
          <DeleteForm email={user.email} word={confirmationOf(user.email)} hasPassword={hasPassword} constraint={constraint} />
        </Section>
      ) : null}
    </>
  );
}

function SharedProjects({ preloaded }: { preloaded: PreloadOf<typeof api.members.listOwnShared> }) {
  const projects = useLive(preloaded);
  if (projects.length === 0) return null;
  return (
    <div className="grid gap-2">
      <p>Transfer shared projects first to keep them for their members:</p>
      <ul className="grid gap-1 ps-5 list-disc">
        {projects.map(({ projectId, project }) => (
          <li key={projectId} className="wrap-anywhere">
            <Link
              to={href("/projects/:id/members", { id: projectId })}
              prefetch="intent"
              className="inline-block text-accent-text underline underline-offset-4 pointer-coarse:py-2.5"
            >
              Members of {isolate(project)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

type DeleteFormProps = {
  email: string;
  word: string;
  hasPassword: boolean;
  constraint: Parameters<typeof useAccountForm>[0]["constraint"];
};

function DeleteForm({ email, word, hasPassword, constraint }: DeleteFormProps) {
  const state = useAccountForm({ id: "delete", intent: "delete", constraint });
  return (
    <AccountForm
      state={state}
      submit="Delete account"
      variant="danger"
      successTexts={{ "delete-asked": `We sent an email to ${email}. Open the link in it to delete your account.` }}
    >
      <TextField
        field={state.fields["confirmation"]}
        label={`Type ${word} to confirm`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {hasPassword ? <FormPasswordField field={state.fields["password"]} label="Your password" autoComplete="current-password" /> : null}
    </AccountForm>
  );
}
