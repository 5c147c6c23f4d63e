type Manifest = { routes: Record<string, { css?: string[] | undefined } | undefined> };
type Page = { manifest: Manifest; staticHandlerContext: { matches: readonly { route: { id: string } }[] } };

/** Returns the `Link` header (RFC 8288) that preloads a page's style sheets; null where there are none, as in development. */
export function linkHeader({ manifest: { routes }, staticHandlerContext: { matches } }: Page): string | null {
  // React Router marks uses of a style sheet by a fragment, which is not part of the request.
  const styles = new Set(matches.flatMap(({ route }) => (routes[route.id]?.css ?? []).map((href) => href.replace(/#.*/, ""))));
  return styles.size === 0 ? null : [...styles].map((href) => `<${href}>; rel=preload; as=style`).join(", ");
}
