import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { UploadContext } from "./store-image.server";

/** Returns the user whose storage an upload reserves: the owner of the design's project. Throws "not_found" and "unauthenticated". */
export const storageOwnerOf = ({
  config,
  sessionId,
  designId,
}: Pick<UploadContext, "config" | "sessionId" | "designId">): Promise<string> =>
  serviceConvex(config).query(api.uploads.getStorageOwner, { sessionId, designId });
