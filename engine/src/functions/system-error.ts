/** A fault of the deployment or the request, not of the function. */
export class SystemError extends Error {
  override name = "SystemError";
}
