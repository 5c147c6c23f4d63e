import type { RouterContextProvider } from "react-router";
import { getVisitor } from "~/features/accounts/session/session.server";
import { configContext } from "~/lib/http/context";
import type { ShownImage } from "./access-cache.server";
import { imageServiceFor } from "./image-service.server";

export async function expectCovers(
  context: Readonly<RouterContextProvider>,
  rows: readonly { cover: readonly ShownImage[] }[],
): Promise<void> {
  const visitor = await getVisitor(context);
  if (!visitor) return;
  const covers = rows.flatMap(({ cover }) => cover);
  imageServiceFor(context.get(configContext)).accessCache.expect(visitor.sessionId, covers);
}
