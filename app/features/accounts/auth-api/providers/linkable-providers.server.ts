import type { AppConfig } from "~/config";

/** Providers that never report a verified address, per Better Auth's sources. Facebook and GitLab lack the field it reads. */
export const WITHOUT_VERIFIED_ADDRESS: ReadonlySet<string> = new Set([
  "atlassian",
  "facebook",
  "figma",
  "gitlab",
  "kick",
  "line",
  "linear",
  "naver",
  "notion",
  "reddit",
  "roblox",
  "spotify",
  "tiktok",
  "vk",
]);

/** Providers without an address: Better Auth creates a placeholder (`plugins/providers/provider-addresses.server.ts`). */
export const WITHOUT_ADDRESS: ReadonlySet<string> = new Set(["reddit", "roblox", "tiktok"]);

export type LinkObstacle = "ACCOUNTS_TRUSTED_PROVIDERS" | "ACCOUNTS_LINK_DIFFERENT_EMAILS" | null;

export function linkableProviders({ issuers, socialProviders, accounts }: AppConfig): { id: string; obstacle: LinkObstacle }[] {
  return [
    ...issuers.map(({ id }) => ({ id, obstacle: null })),
    ...Object.keys(socialProviders).map((id) => ({ id, obstacle: obstacleOf(id, accounts) })),
  ];
}

function obstacleOf(id: string, { trustedProviders, linkDifferentEmails }: AppConfig["accounts"]): LinkObstacle {
  if (WITHOUT_VERIFIED_ADDRESS.has(id) && !trustedProviders.includes(id)) return "ACCOUNTS_TRUSTED_PROVIDERS";
  return WITHOUT_ADDRESS.has(id) && !linkDifferentEmails ? "ACCOUNTS_LINK_DIFFERENT_EMAILS" : null;
}
