import { clsx } from "clsx";

/** Renders a decorative picture or initial (specification 2). Skips pictures of other origins, which the CSP blocks. */
export function Avatar({ name, email, image, className }: { name: string; email: string; image: string | null; className?: string }) {
  const classes = clsx("avatar", className);
  if (image?.startsWith("/")) return <img src={image} alt="" width={32} height={32} className={classes} />;
  return (
    <span aria-hidden="true" className={classes}>
      {firstLetter(name) || firstLetter(email)}
    </span>
  );
}

export function firstLetter(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const [first] = graphemes.segment(trimmed);
  return first?.segment ?? "";
}

let graphemes: Intl.Segmenter | undefined;
