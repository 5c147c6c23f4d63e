/** What is read of React Router's manifest, by the route's id. */
type Manifest = {
  entry: { module: string; imports: string[] };
  routes: Record<string, Route | undefined>;
};
type Route = { module: string; clientActionModule?: string | undefined; imports?: string[] | undefined; css?: string[] | undefined };
type Page = { manifest: Manifest; staticHandlerContext: { matches: readonly { route: { id: string } }[] } };

/** Headers that were made before, by the ids of the page's routes; another build has another manifest. */
const made = new WeakMap<Manifest, Map<string, string>>();

/**
 * The `Link` header of a page (RFC 8288): what its browser is to fetch, and in which order. A page is whole without its scripts, so on a slow line
 * what is seen comes first: the style sheet, then the font and the picture that the markup asks for, and the scripts behind them. The markup
 * alone cannot say so: there React puts `modulepreload` before the style sheet, and it is as urgent as what is seen. What the header has asked for is
 * not asked for again (HTML, 'fetch a single module script': the module map).
 */
export function linkHeader({ manifest, staticHandlerContext: { matches } }: Page): string {
  const ids = matches.map(({ route }) => route.id);
  const key = ids.join(" ");
  const ofBuild = made.get(manifest) ?? new Map<string, string>();
  made.set(manifest, ofBuild);
  const header = ofBuild.get(key) ?? headerOf(manifest, ids);
  ofBuild.set(key, header);
  return header;
}

function headerOf({ entry, routes }: Manifest, ids: string[]): string {
  const matched = ids.flatMap((id) => routes[id] ?? []);
  // By a fragment React Router tells one use of a style sheet from another; it is no part of what is fetched.
  const styles = new Set(matched.flatMap(({ css = [] }) => css.map((href) => href.replace(/#.*/, ""))));
  const scripts = new Set([
    entry.module,
    ...entry.imports,
    ...matched.flatMap(({ module, clientActionModule, imports = [] }) => [
      module,
      ...(clientActionModule ? [clientActionModule] : []),
      ...imports,
    ]),
  ]);
  return [
    ...[...styles].map((href) => `<${href}>; rel=preload; as=style`),
    ...[...scripts].map((href) => `<${href}>; rel=modulepreload; fetchpriority=low`),
  ].join(", ");
}
