import { Children, cloneElement, Fragment, isValidElement, type ReactElement, type ReactNode } from "react";
import { Scripts } from "react-router";
import { afterPaint } from "./after-paint";

type Props = { children?: ReactNode; href?: string; type?: string; dangerouslySetInnerHTML?: { __html: string } };

/** Renders React Router's `<Scripts>` after the first paint: its `modulepreload`s would precede the style sheet (decision 094). */
export function DeferredScripts() {
  const elements = elementsOf(Scripts({}));
  const modules = elements.flatMap(({ type, props }) => (type === "link" && props.href ? [props.href] : []));
  const scripts = elements.filter(({ type }) => type !== "link");
  return import.meta.env.SSR ? scripts.map((script) => deferScript(script, modules)) : scripts;
}

function deferScript(script: ReactElement<Props>, modules: readonly string[]): ReactElement<Props> {
  const code = script.props.dangerouslySetInnerHTML?.__html;
  if (script.props.type !== "module" || code === undefined) return script;
  return cloneElement(script, { dangerouslySetInnerHTML: { __html: afterPaint(code, modules) } });
}

function elementsOf(node: ReactNode): ReactElement<Props>[] {
  return Children.toArray(node).flatMap((child) => {
    if (!isValidElement<Props>(child)) return [];
    return child.type === Fragment ? elementsOf(child.props.children) : [child];
  });
}
