/** Kinds of notifications, and when they are emailed. Pages import this file too. */
export const NOTIFICATION_KINDS = ["mention", "reply", "comment", "reviewRequested", "reviewGiven", "invitation", "accessChanged"] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

export const DELIVERIES = ["now", "daily", "never"] as const;
export type Delivery = (typeof DELIVERIES)[number];

export const DEFAULT_DELIVERIES: Readonly<Record<NotificationKind, Delivery>> = {
  mention: "now",
  reply: "now",
  comment: "daily",
  reviewRequested: "now",
  reviewGiven: "daily",
  invitation: "now",
  accessChanged: "now",
};

export const isNotificationKind = (value: unknown): value is NotificationKind => NOTIFICATION_KINDS.some((each) => each === value);
export const isDelivery = (value: unknown): value is Delivery => DELIVERIES.some((each) => each === value);
