import { Section } from "~/features/accounts/settings/section";
import { SettingsList } from "~/features/administration/operation/settings-list";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { configContext } from "~/lib/http/context";
import type { Route } from "./+types/admin.settings";

export const meta: Route.MetaFunction = () => [{ title: "Settings · Administration · Atelier" }];

export const loader = ({ context }: Route.LoaderArgs) => ({ settings: context.get(configContext).shownSettings });

export const shouldRevalidate = liveRevalidation;

export default function Settings({ loaderData: { settings } }: Route.ComponentProps) {
  const set = settings.filter(({ source }) => source !== "default");
  const defaults = settings.filter(({ source }) => source === "default");
  return (
    <>
      <Section
        title="Settings"
        about="Values that this server read at its start. Secrets are hidden. To change a setting, edit the environment or the .env file, and restart."
      >
        <SettingsList label="Settings" settings={set} />
      </Section>
      <Section title="Defaults" about="Settings that the operator has not set, with the values that apply.">
        <SettingsList label="Defaults" settings={defaults} />
      </Section>
    </>
  );
}
