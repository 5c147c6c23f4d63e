/** What is read of React Router's manifest, by the route's id. */
type Manifest = { routes: Record<string, { css?: string[] | undefined } | undefined> };
type Page = { manifest: Manifest; staticHandlerContext: { matches: readonly { route: { id: string } }[] } };

/**
 * The `Link` header of a page (RFC 8288): the style sheets, which its browser can ask for before it has the markup.
 * @returns null where there are none, as in development
 */
export function linkHeader({ manifest: { routes }, staticHandlerContext: { matches } }: Page): string | null {
  // By a fragment React Router tells one use of a style sheet from another; it is no part of what is fetched.
  const styles = new Set(matches.flatMap(({ route }) => (routes[route.id]?.css ?? []).map((href) => href.replace(/#.*/, ""))));
  return styles.size === 0 ? null : [...styles].map((href) => `<${href}>; rel=preload; as=style`).join(", ");
}
