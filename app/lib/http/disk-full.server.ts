import { diskFullResponse, unavailableResponse } from "~/lib/data/error-responses";
import { DeploymentDiskFull, Unavailable } from "./unavailable.server";

export class DiskFull extends Error {
  override name = "DiskFull";
}

export function asDiskFull(error: unknown): unknown {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")
    ? new DiskFull("The disk is full", { cause: error })
    : error;
}

export const isDiskFull = (error: unknown): boolean => error instanceof DiskFull || error instanceof DeploymentDiskFull;

export function unsavedResponse(error: unknown) {
  if (isDiskFull(error)) return diskFullResponse();
  return error instanceof Unavailable ? unavailableResponse() : null;
}
