import type { MiddlewareFunction } from "react-router";
import { withMutableHeaders } from "../mutable-headers";

/** nginx answers 502 to more than 4 KiB of response headers by default; the other headers take about 1.5 KiB. */
export const MAX_LOCATION_LENGTH = 2_048;

export const shortLocation = (...addresses: string[]): string | undefined =>
  addresses.find((address) => address.length <= MAX_LOCATION_LENGTH);

export const limitRedirectLength: MiddlewareFunction<Response> = async (_args, next) => {
  const response = withMutableHeaders(await next());
  const location = response.headers.get("Location");
  if (location && /^\/(?!api\/)/.test(location))
    response.headers.set("Location", shortLocation(location, location.replace(/\?.*/, "")) ?? "/");
  return response;
};
