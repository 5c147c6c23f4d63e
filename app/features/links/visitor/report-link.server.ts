import type { RouterContextProvider } from "react-router";
import { queueMail } from "~/features/accounts/mail/queue.server";
import { clientAddressContext, configContext } from "~/lib/http/context";
import { isolate } from "~/lib/ui/isolate";
import { countAttempts, type OpenedLink } from "../open-link.server";

const TEXT_MAX = 2000;
const LIMIT = { seconds: 60 * 60, perVisitor: 3, perLink: 20 };

export async function reportLink(
  context: Readonly<RouterContextProvider>,
  { linkId, target }: Pick<OpenedLink, "linkId" | "target">,
  text: string,
): Promise<{ problem: string; status: 422 | 429 } | null> {
  const config = context.get(configContext);
  const to = config.publicLinks.reportTo;
  if (to === null) return { problem: "Reports are not available here.", status: 422 };
  if (text.trim() === "") return { problem: "Describe what is wrong.", status: 422 };
  if (text.length > TEXT_MAX) return { problem: `Use at most ${TEXT_MAX.toLocaleString("en")} characters.`, status: 422 };
  const wait = await countAttempts(config, { what: "report", of: linkId, address: context.get(clientAddressContext) }, LIMIT);
  if (wait > 0) return { problem: "Too many reports. Try again in an hour.", status: 429 };
  const shown = `the ${target.kind} “${isolate(target.name)}”`;
  await queueMail(config, { kind: "linkReport", to, name: "", url: config.publicUrl, link: linkId, target: shown, text });
  return null;
}
