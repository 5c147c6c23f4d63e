import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { type Sender, senderOf, type UploadContext } from "./store-image.server";

/** Returns the user whose storage an upload reserves: the owner of the design's project. Throws "not_found" and "unauthenticated". */
export const storageOwnerOf = ({ config, designId, ...sender }: Pick<UploadContext, "config" | "designId"> & Sender): Promise<string> =>
  serviceConvex(config).query(api.uploads.getStorageOwner, { ...senderOf(sender), designId });
