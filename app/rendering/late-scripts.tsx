import { Children, cloneElement, Fragment, isValidElement, type ReactElement, type ReactNode } from "react";
import { Scripts } from "react-router";
import { afterPaint } from "./after-paint";

type Props = { children?: ReactNode; href?: string; type?: string; dangerouslySetInnerHTML?: { __html: string } };

/**
 * React Router's `<Scripts>`, which the browser fetches and runs once it has painted the page. As they come, they are asked for before the style
 * sheet, by `modulepreload` at the top of the head, and run before the first paint where they are there by then (docs/decisions/094).
 * In the browser it is what `<Scripts>` is there, which leaves what the server sent as it is.
 */
export function LateScripts() {
  const elements = elementsOf(Scripts({}));
  const modules = elements.flatMap(({ type, props }) => (type === "link" && props.href ? [props.href] : []));
  const scripts = elements.filter(({ type }) => type !== "link");
  return import.meta.env.SSR ? scripts.map((script) => late(script, modules)) : scripts;
}

function late(script: ReactElement<Props>, modules: readonly string[]): ReactElement<Props> {
  const code = script.props.dangerouslySetInnerHTML?.__html;
  if (script.props.type !== "module" || code === undefined) return script;
  return cloneElement(script, { dangerouslySetInnerHTML: { __html: afterPaint(code, modules) } });
}

/** What stands in fragments, without them. */
function elementsOf(node: ReactNode): ReactElement<Props>[] {
  return Children.toArray(node).flatMap((child) => {
    if (!isValidElement<Props>(child)) return [];
    return child.type === Fragment ? elementsOf(child.props.children) : [child];
  });
}
