import { href } from "react-router";
import { SectionNav } from "~/lib/ui/navigation/section-nav";

const links = [
  { to: href("/account"), label: "Profile" },
  { to: href("/account/security"), label: "Security" },
  { to: href("/account/sessions"), label: "Sessions" },
  { to: href("/account/connections"), label: "Connections" },
  { to: href("/account/notifications"), label: "Notifications" },
  { to: href("/account/tokens"), label: "Access tokens" },
  { to: href("/account/activity"), label: "Account activity" },
  { to: href("/account/data"), label: "Data" },
];

export const AccountNav = () => <SectionNav label="Account" links={links} />;
