import type { Project } from "~/projects/intents";

const number = new Intl.NumberFormat("en");

/** What the visitor has stored so far. */
export function Usage({ projects }: { projects: Pick<Project, "designCount" | "imageCount">[] }) {
  const rows = [
    ["Projects", projects.length],
    ["Designs", sum(projects, "designCount")],
    ["Images", sum(projects, "imageCount")],
  ] as const;
  return (
    <dl className="tabular grid grid-cols-3 gap-4 border-t pt-6">
      {rows.map(([name, many]) => (
        <div key={name}>
          <dt className="text-sm text-faint">{name}</dt>
          <dd className="text-xl font-semibold">{number.format(many)}</dd>
        </div>
      ))}
    </dl>
  );
}

function sum<Key extends string>(rows: Record<Key, number>[], key: Key): number {
  return rows.reduce((total, row) => total + row[key], 0);
}
