import type { ShownSetting } from "~/config";
import { RowList } from "~/lib/ui/row-list";
import { FactRow } from "../rows";

const SOURCES: Record<Exclude<ShownSetting["source"], "default">, string> = {
  environment: "environment",
  envFile: ".env file",
  secretFile: "secret file",
  dataDir: "created in DATA_DIR",
};

export function SettingsList({ label, settings }: { label: string; settings: readonly ShownSetting[] }) {
  return (
    <RowList label={label}>
      {settings.map((setting) => (
        <FactRow key={setting.name}>
          <span className="font-mono text-sm wrap-anywhere">{setting.name}</span>
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
            <SettingValue setting={setting} />
            {setting.source === "default" ? null : <span className="text-sm text-faint">{SOURCES[setting.source]}</span>}
          </span>
        </FactRow>
      ))}
    </RowList>
  );
}

function SettingValue({ setting: { value, isSecret, source } }: { setting: ShownSetting }) {
  if (value !== null) return <span className="font-mono text-sm wrap-anywhere">{value}</span>;
  return <span className="text-soft">{isSecret && source !== "default" ? "Hidden" : "Not set"}</span>;
}
