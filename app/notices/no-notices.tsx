import { href } from "react-router";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";

/** The list of notifications while there is nothing in it. */
export function NoNotices() {
  return (
    <EmptyState
      title="Nothing to tell"
      text="What concerns your account and your projects is told here, the newest first."
      action={<ButtonLink to={href("/projects")}>To your projects</ButtonLink>}
    />
  );
}
