import type { LogEntry } from "#convex/admin/auditLog";
import { PersonLink } from "./person-link";

export function LogEntryPeople({ entry: { person, other, actor, target } }: { entry: LogEntry }) {
  return (
    <>
      {person === null && other === null ? null : (
        <span className="flex flex-wrap gap-x-3 text-sm">
          {person === null ? null : <PersonLink person={person} />}
          {other === null ? null : (
            <span className="text-faint">
              {actor === "administrator" ? "Administrator: " : "Other person: "}
              <PersonLink person={other} />
            </span>
          )}
        </span>
      )}
      {target === undefined ? null : (
        <span className="block text-sm text-faint">
          {TARGETS[target.kind] ?? "Object"} {target.id}
        </span>
      )}
    </>
  );
}

const TARGETS: Record<string, string> = {
  project: "Project",
  design: "Design",
  image: "Image",
  link: "Link",
  accessToken: "Access token",
  webhook: "Webhook",
  backup: "Backup",
  snapshot: "Snapshot",
};
