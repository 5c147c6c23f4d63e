import { createContext, type ReactNode, use } from "react";
import type { IntentName, IntentTables, NamesOf } from "~/lib/forms/intents";
import { allows, LINK_ROLES, type LinkRole, type MemberRole, type Right } from "#convex/model/rights";

const OwnRole = createContext<MemberRole | LinkRole | undefined>(undefined);

/** Hides the controls that the role may not use. The functions check the rights themselves. The owner has no role. */
export function OwnRights({ role, children }: { role: MemberRole | LinkRole | undefined; children: ReactNode }) {
  return <OwnRole value={role}>{children}</OwnRole>;
}

export function useIsVisitor(): boolean {
  const role = use(OwnRole);
  return LINK_ROLES.some((each) => each === role);
}

export function useMay(): (needed: Right) => boolean {
  const role = use(OwnRole) ?? "owner";
  return (needed) => allows(role, needed);
}

export function useMayRun(): (intent: IntentName) => boolean {
  const may = useMay();
  const isVisitor = useIsVisitor();
  return (intent) => {
    if (isVisitor) return false;
    const right = needed[intent];
    return right === undefined || may(right);
  };
}

type ItemIntent = Exclude<NamesOf<IntentTables["projects" | "designs" | "images" | "comments" | "reviews"]>, "createProject">;

const NEEDED: Record<ItemIntent, Right> = {
  renameProject: "edit",
  describeProject: "edit",
  coverProject: "edit",
  latestCoverProject: "edit",
  removeProject: "deleteProject",
  favouriteProject: "view",
  duplicateProject: "download",
  orderProject: "arrange",
  createDesign: "edit",
  renameDesign: "edit",
  describeDesign: "edit",
  coverDesign: "edit",
  latestCoverDesign: "edit",
  duplicateDesign: "edit",
  orderDesign: "edit",
  moveDesign: "edit",
  moveDesigns: "edit",
  copyDesigns: "download",
  favouriteDesign: "view",
  favouriteDesigns: "view",
  tagDesign: "edit",
  untagDesign: "edit",
  tagDesigns: "edit",
  untagDesigns: "edit",
  removeDesign: "delete",
  trashDesigns: "delete",
  renameImage: "edit",
  captionImage: "edit",
  tagImage: "edit",
  untagImage: "edit",
  tagImages: "edit",
  untagImages: "edit",
  makeCurrent: "edit",
  rotateImage: "edit",
  duplicateImage: "edit",
  orderImage: "edit",
  moveImage: "edit",
  moveImages: "edit",
  copyImages: "download",
  removeImage: "delete",
  trashImages: "delete",
  startThread: "comment",
  replyToThread: "comment",
  editComment: "comment",
  removeComment: "comment",
  reactToComment: "react",
  setThreadResolved: "resolve",
  markCommentsRead: "readComments",
  removeLinkComments: "moderate",
  reviewItem: "review",
  reviewImages: "review",
  reviewDesigns: "review",
  requestReview: "edit",
  cancelReviewRequest: "edit",
};

const needed: Partial<Record<IntentName, Right>> = NEEDED;
