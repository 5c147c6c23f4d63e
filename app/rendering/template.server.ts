/** A page's markup with gaps, by name, for what each answer has of its own. */
export type Template = readonly (Buffer | string)[];

/**
 * Cuts markup at its marks.
 * @param marks by gap, the text that stands for it: random, made for this one rendering, and so nothing that anybody could have written
 */
export function templateOf(html: string, marks: ReadonlyMap<string, string>): Template {
  let parts: (string | { gap: string })[] = [html];
  for (const [gap, mark] of marks)
    parts = parts.flatMap((part) =>
      typeof part === "string" ? part.split(mark).flatMap((text, index) => (index === 0 ? [text] : [{ gap }, text])) : [part],
    );
  return parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part.gap));
}

/** The markup with its gaps filled, as bytes. Throws where a gap has nothing to fill it. */
export function filled(template: Template, values: ReadonlyMap<string, string>): Uint8Array<ArrayBuffer> {
  const bytes = new Map([...values].map(([gap, value]) => [gap, Buffer.from(value)]));
  return Buffer.concat(
    template.map((part) => {
      const piece = typeof part === "string" ? bytes.get(part) : part;
      if (!piece) throw new Error(`Nothing fills the page's gap "${String(part)}".`);
      return piece;
    }),
  );
}
