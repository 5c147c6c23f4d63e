/** Who may do what in a project (`docs/access.md`, which a test compares with this table). Pages read it too. */

export const MEMBER_ROLES = ["editor", "commenter", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];
export type Role = "owner" | MemberRole;

const EVERYONE: readonly Role[] = ["owner", "editor", "commenter", "viewer"];
const COMMENTERS: readonly Role[] = ["owner", "editor", "commenter"];
const EDITORS: readonly Role[] = ["owner", "editor"];
const MEMBERS: readonly Role[] = ["editor", "commenter", "viewer"];
const OWNER: readonly Role[] = ["owner"];

export const RIGHTS = {
  /** Also own favourites. */
  view: EVERYONE,
  /** Originals and archives. Copies into another project need it too. */
  download: EVERYONE,
  comment: COMMENTERS,
  resolve: EDITORS,
  /** Also uploads, and moves within one owner's projects. */
  edit: EDITORS,
  /** Designs and images: to the trash and back. */
  delete: EDITORS,
  /** Designs and images in the trash. */
  purge: OWNER,
  manageMembers: OWNER,
  leave: MEMBERS,
  manageLinks: OWNER,
  transfer: OWNER,
  /** The project itself: to the trash, back, and permanently. */
  deleteProject: OWNER,
  /** The order of the own projects. */
  arrange: OWNER,
  /** In the export of the account. */
  export: OWNER,
} satisfies Record<string, readonly Role[]>;
export type Right = keyof typeof RIGHTS;

export const allows = (role: Role | null, right: Right): boolean => role !== null && RIGHTS[right].includes(role);
