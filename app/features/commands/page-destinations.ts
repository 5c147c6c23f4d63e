import { href } from "react-router";

export type PageDestination = { _id: string; name: string };

type StaticPage = {
  name: string;
  to: string;
  words: string[];
};

export const PAGE_DESTINATIONS: StaticPage[] = [
  { name: "Projects", to: href("/projects"), words: ["home", "start", "all"] },
  { name: "Shared with me", to: href("/shared"), words: ["members", "others", "team"] },
  { name: "Search", to: href("/search"), words: ["find"] },
  { name: "Trash", to: href("/trash"), words: ["bin", "deleted", "restore", "undo"] },
  { name: "Notifications", to: href("/notifications"), words: ["notices", "messages", "inbox"] },
  { name: "Account", to: href("/account"), words: ["profile", "name", "picture", "email", "settings"] },
  { name: "Security", to: href("/account/security"), words: ["password", "passkey", "two-factor", "authenticator", "backup codes"] },
  { name: "Sessions", to: href("/account/sessions"), words: ["devices", "browsers", "sign out"] },
  { name: "Connections", to: href("/account/connections"), words: ["social", "google", "github", "link"] },
  { name: "Notification settings", to: href("/account/notifications"), words: ["email", "digest", "mute", "unsubscribe"] },
  { name: "Access tokens", to: href("/account/tokens"), words: ["api", "program", "key"] },
  { name: "Account activity", to: href("/account/activity"), words: ["audit", "log", "sign-ins", "history"] },
  { name: "Data", to: href("/account/data"), words: ["export", "download", "delete account"] },
  { name: "Billing", to: href("/billing"), words: ["plan", "usage", "storage", "upgrade", "pro"] },
  { name: "Keyboard shortcuts", to: href("/shortcuts"), words: ["keys", "help"] },
];
