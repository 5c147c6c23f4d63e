/** A request rejected by the deployment itself, as opposed to a failed function. Clients show `{code, message}`. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const badRequest = (message: string, code = "BadRequest") => new RequestError(400, code, message);
export const notFound = (message: string) => new RequestError(404, "NotFound", message);
