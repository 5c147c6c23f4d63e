/** A fault of the deployment or of how it was called, not of the function: callers answer it as a system error, not as an outcome. */
export class SystemError extends Error {
  override name = "SystemError";
}
