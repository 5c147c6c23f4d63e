import type { Delivery, NotificationKind } from "#convex/model/notifications/kinds";

export const KIND_NAMES: Readonly<Record<NotificationKind, { name: string; about: string }>> = {
  mention: { name: "Mentions", about: "Someone mentions you in a comment." },
  reply: { name: "Replies", about: "Someone replies in a thread that you take part in." },
  comment: { name: "Comments", about: "Someone starts a thread in one of your projects." },
  reviewRequested: { name: "Review requests", about: "Someone asks you for a review." },
  reviewGiven: { name: "Reviews", about: "Someone responds to your review request." },
  invitation: { name: "Invitations", about: "Someone invites you to a project." },
  accessChanged: { name: "Access changes", about: "Your role changes, or a project is transferred." },
};

export const DELIVERY_NAMES: Readonly<Record<Delivery, string>> = { now: "Immediately", daily: "Daily digest", never: "Never" };
