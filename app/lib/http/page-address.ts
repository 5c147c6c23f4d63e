/** Returns the address of the page, also for a request of React Router for its data. */
export function pageAddress(request: Request): URL {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/\/_(root)?\.data$/, "/").replace(/\.data$/, "");
  for (const own of ["_routes", "index"]) url.searchParams.delete(own);
  return url;
}
