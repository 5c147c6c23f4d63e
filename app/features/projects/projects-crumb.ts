import { href } from "react-router";
import type { MemberRole } from "#convex/model/rights";

export const projectsCrumb = ({ role }: { role?: MemberRole }) =>
  role === undefined ? { to: href("/projects"), name: "Projects" } : { to: href("/shared"), name: "Shared with me" };
