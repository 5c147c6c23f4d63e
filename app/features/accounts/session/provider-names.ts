const NAMES: Record<string, string> = {
  facebook: "Facebook",
  figma: "Figma",
  github: "GitHub",
  gitlab: "GitLab",
  huggingface: "Hugging Face",
  linkedin: "LinkedIn",
  tiktok: "TikTok",
  twitter: "X",
  vk: "VK",
  cognito: "Amazon Cognito",
  line: "LINE",
  paypal: "PayPal",
  credential: "Email and password",
};

/** Returns the name of a provider. That of an issuer comes from its id, because labels are settings of the server. */
export const providerName = (id: string): string => NAMES[id] ?? capitalized(id.replace(/^oidc-/, ""));

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
