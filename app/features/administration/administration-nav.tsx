import { href } from "react-router";
import { SectionNav } from "~/lib/ui/navigation/section-nav";

const SECTIONS = [
  { to: href("/admin"), label: "People" },
  { to: href("/admin/storage"), label: "Storage" },
  { to: href("/admin/links"), label: "Links" },
  { to: href("/admin/jobs"), label: "Jobs" },
  { to: href("/admin/mail"), label: "Email and providers" },
  { to: href("/admin/health"), label: "Health" },
  { to: href("/admin/settings"), label: "Settings" },
  { to: href("/admin/audit-log"), label: "Audit log" },
];

export const AdministrationNav = () => <SectionNav label="Administration" links={SECTIONS} />;
