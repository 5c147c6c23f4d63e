export class SystemError extends Error {
  override name = "SystemError";
}
