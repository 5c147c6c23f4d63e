import { href } from "react-router";
import { SectionNav } from "~/lib/ui/navigation/section-nav";

const SECTIONS = [{ to: href("/admin"), label: "People" }];

export const AdministrationNav = () => <SectionNav label="Administration" links={SECTIONS} />;
