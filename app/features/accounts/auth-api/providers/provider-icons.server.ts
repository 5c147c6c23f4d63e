import apple from "simple-icons/icons/apple.svg?raw";
import atlassian from "simple-icons/icons/atlassian.svg?raw";
import discord from "simple-icons/icons/discord.svg?raw";
import dropbox from "simple-icons/icons/dropbox.svg?raw";
import facebook from "simple-icons/icons/facebook.svg?raw";
import figma from "simple-icons/icons/figma.svg?raw";
import github from "simple-icons/icons/github.svg?raw";
import gitlab from "simple-icons/icons/gitlab.svg?raw";
import google from "simple-icons/icons/google.svg?raw";
import huggingface from "simple-icons/icons/huggingface.svg?raw";
import kakao from "simple-icons/icons/kakaotalk.svg?raw";
import kick from "simple-icons/icons/kick.svg?raw";
import line from "simple-icons/icons/line.svg?raw";
import linear from "simple-icons/icons/linear.svg?raw";
import naver from "simple-icons/icons/naver.svg?raw";
import notion from "simple-icons/icons/notion.svg?raw";
import paypal from "simple-icons/icons/paypal.svg?raw";
import reddit from "simple-icons/icons/reddit.svg?raw";
import roblox from "simple-icons/icons/roblox.svg?raw";
import spotify from "simple-icons/icons/spotify.svg?raw";
import tiktok from "simple-icons/icons/tiktok.svg?raw";
import twitch from "simple-icons/icons/twitch.svg?raw";
import vk from "simple-icons/icons/vk.svg?raw";
import zoom from "simple-icons/icons/zoom.svg?raw";
import x from "simple-icons/icons/x.svg?raw";
import cognito from "./icons/amazon-cognito.svg?raw";
import issuer from "./icons/issuer.svg?raw";
import linkedin from "./icons/linkedin.svg?raw";
import microsoft from "./icons/microsoft.svg?raw";
import salesforce from "./icons/salesforce.svg?raw";
import slack from "./icons/slack.svg?raw";

/** Icons from Simple Icons 16 (CC0). `icons/` contains the missing ones: four from version 13.21, and our own for Microsoft and issuers. */
const ICONS: Record<string, string> = {
  apple,
  atlassian,
  cognito,
  discord,
  dropbox,
  facebook,
  figma,
  github,
  gitlab,
  google,
  huggingface,
  kakao,
  kick,
  line,
  linear,
  linkedin,
  microsoft,
  naver,
  notion,
  paypal,
  reddit,
  roblox,
  salesforce,
  slack,
  spotify,
  tiktok,
  twitch,
  vk,
  zoom,
  twitter: x,
};

export const providerIcon = (id: string): string => pathIn(ICONS[id] ?? "");

export const issuerIcon = (): string => pathIn(issuer);

const pathIn = (svg: string): string => /<path d="([^"]+)"/.exec(svg)?.[1] ?? "";
