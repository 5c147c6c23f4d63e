import { href } from "react-router";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import type { PersonShape } from "#convex/model/admin/shownPerson";

export function PersonLink({ person: { id, name, email } }: { person: PersonShape }) {
  if (email === null) return <span className="text-faint">Deleted account</span>;
  return (
    <Link
      to={href("/admin/people/:id", { id })}
      prefetch="intent"
      className="inline-flex min-h-6 min-w-6 items-center text-accent-text underline underline-offset-4 pointer-coarse:min-h-11 pointer-coarse:min-w-11"
    >
      <bdi className="wrap-anywhere">{isolate(name || email)}</bdi>
    </Link>
  );
}
