import type { AppConfig } from "~/config";
import { openSealedText, sealText } from "~/lib/http/sealed-text.server";
import type { Message } from "./messages";

/** Encrypts a queued message, because its links and codes open accounts. */
export function sealMessage(config: Pick<AppConfig, "secret">, message: Message | null): string {
  const length = Buffer.byteLength(JSON.stringify(message));
  return sealText(config, PURPOSE, JSON.stringify({ message, padding: " ".repeat(Math.max(0, PADDED_LENGTH - length)) }));
}

export function openMessage(config: Pick<AppConfig, "secret">, sealed: string): Message | null {
  const { message }: { message: Message | null } = JSON.parse(openSealedText(config, PURPOSE, sealed));
  return message;
}

const PURPOSE = "atelier mail queue";
/** Gives messages without a recipient the same length as real ones. */
const PADDED_LENGTH = 1024;
