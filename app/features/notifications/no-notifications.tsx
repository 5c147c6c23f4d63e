import { href } from "react-router";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { EmptyState } from "~/lib/ui/empty-state";

export function NoNotifications() {
  return (
    <EmptyState
      title="No notifications"
      text="Notifications about your account and your projects appear here, newest first."
      action={<ButtonLink to={href("/projects")}>Go to projects</ButtonLink>}
    />
  );
}
