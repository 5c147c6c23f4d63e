export type Template = readonly (Buffer | string)[];

/** Splits HTML at its marks. Marks are random, so that no user content can contain one. */
export function templateOf(html: string, marks: ReadonlyMap<string, string>): Template {
  let parts: (string | { gap: string })[] = [html];
  for (const [gap, mark] of marks)
    parts = parts.flatMap((part) =>
      typeof part === "string" ? part.split(mark).flatMap((text, index) => (index === 0 ? [text] : [{ gap }, text])) : [part],
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
