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

export const providerName = (id: string): string => NAMES[id] ?? id.charAt(0).toUpperCase() + id.slice(1);
