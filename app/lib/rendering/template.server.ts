export type Template = readonly (Buffer | string)[];

/** Splits HTML at its placeholders. Placeholders are random, so that no user content can contain one. */
export function templateOf(html: string, placeholders: ReadonlyMap<string, string>): Template {
  let parts: (string | { gap: string })[] = [html];
  for (const [gap, placeholder] of placeholders)
    parts = parts.flatMap((part) =>
      typeof part === "string" ? part.split(placeholder).flatMap((text, index) => (index === 0 ? [text] : [{ gap }, text])) : [part],
    );
  return parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part.gap));
}

export function filled(template: Template, values: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  const bytes = new Map([...values].map(([gap, value]) => [gap, Buffer.from(value)]));
  return Buffer.concat(
    template.map((part) => {
      const piece = typeof part === "string" ? bytes.get(part) : part;
      if (!piece) throw new Error(`The page template has no value for "${String(part)}".`);
      return piece;
    }),
  );
}
