/** A failed request to a bucket. `reason` completes a sentence that ends with "because". Contains no keys, hosts or signatures. */
export class S3Error extends Error {
  readonly reason: string;
  readonly code: string;
  readonly status: number | null;

  constructor(code: string, status: number | null, options?: ErrorOptions) {
    const reason = REASONS[code] ?? (status === null ? "it cannot be reached" : `it answers with status ${status}`);
    super(`The bucket cannot be used, because ${reason} (${code}).`, options);
    this.name = "S3Error";
    this.reason = `${reason} (${code})`;
    this.code = code;
    this.status = status;
  }
}

const REASONS: Record<string, string> = {
  ...codes("it is full", ["QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage"]),
  ...codes("this key may not use it", ["AccessDenied", "AllAccessDisabled", "AccountProblem", "Forbidden"]),
  ...codes("the access key id is unknown", ["InvalidAccessKeyId"]),
  ...codes("the secret access key is wrong", ["SignatureDoesNotMatch"]),
  ...codes("the region is wrong", ["AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException"]),
  ...codes("the clock of this machine is wrong", ["RequestTimeTooSkewed"]),
  ...codes("the bucket does not exist", ["NoSuchBucket"]),
  ...codes("it is overloaded or has an internal error", ["SlowDown", "ServiceUnavailable", "InternalError", "TooManyRequests"]),
  ...codes("it does not answer", ["TimeoutError", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"]),
  ...codes("the connection was lost", ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]),
};

function codes(reason: string, names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

const OF_STATUS: Record<number, string> = {
  301: "PermanentRedirect",
  403: "Forbidden",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  507: "InsufficientStorage",
};

/** Returns the error of a response. Reads only the code, because services repeat keys and signatures in their messages. */
export function errorOfAnswer(status: number, body: string): S3Error {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(body)?.[1] ?? OF_STATUS[status] ?? `HTTP${status}`;
  return new S3Error(code, status);
}

export function errorOfConnection(error: unknown): S3Error {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === "TimeoutError") return new S3Error("TimeoutError", null);
    if ("code" in cause && typeof cause.code === "string") return new S3Error(cause.code, null);
  }
  return new S3Error("UND_ERR_SOCKET", null);
}
