/** The rights of each role. `docs/access.md` describes each right, and a test compares it with this table. Pages import this file too. */

export const MEMBER_ROLES = ["editor", "commenter", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export const LINK_ROLES = ["link", "downloadLink", "commentLink", "downloadCommentLink"] as const;
export type LinkRole = (typeof LINK_ROLES)[number];
export type Role = "owner" | MemberRole | LinkRole;

const EVERYONE: readonly Role[] = ["owner", "editor", "commenter", "viewer"];
const COMMENTERS: readonly Role[] = ["owner", "editor", "commenter"];
const EDITORS: readonly Role[] = ["owner", "editor"];
const MEMBERS: readonly Role[] = ["editor", "commenter", "viewer"];
const OWNER: readonly Role[] = ["owner"];
const COMMENTING_LINKS: readonly Role[] = ["commentLink", "downloadCommentLink"];

export const RIGHTS = {
  view: [...EVERYONE, ...LINK_ROLES],
  download: [...EVERYONE, "downloadLink", "downloadCommentLink"],
  readComments: [...EVERYONE, ...COMMENTING_LINKS],
  comment: [...COMMENTERS, ...COMMENTING_LINKS],
  react: COMMENTERS,
  resolve: EDITORS,
  moderate: OWNER,
  review: COMMENTERS,
  edit: EDITORS,
  delete: EDITORS,
  purge: OWNER,
  manageMembers: OWNER,
  leave: MEMBERS,
  manageLinks: OWNER,
  manageWebhooks: OWNER,
  transfer: OWNER,
  deleteProject: OWNER,
  arrange: OWNER,
  export: OWNER,
} satisfies Record<string, readonly Role[]>;
export type Right = keyof typeof RIGHTS;

export function linkRole({ downloads, comments }: { downloads: boolean; comments: boolean }): LinkRole {
  if (comments) return downloads ? "downloadCommentLink" : "commentLink";
  return downloads ? "downloadLink" : "link";
}

export const allows = (role: Role | null, right: Right): boolean => role !== null && RIGHTS[right].includes(role);
