import { clsx } from "clsx";

/** A person's picture, or the first letter of their name or email (specification 2). Decoration: the name stands beside it. */
export function Avatar({ name, email, image, className }: { name: string; email: string; image: string | null; className?: string }) {
  const classes = clsx("avatar", className);
  if (image) return <img src={image} alt="" width={32} height={32} referrerPolicy="no-referrer" className={classes} />;
  return (
    <span aria-hidden="true" className={classes}>
      {firstLetter(name) || firstLetter(email)}
    </span>
  );
}

/** The first character as a person counts them, so that an emoji or an accented letter stays whole. */
export function firstLetter(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  const [first] = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(trimmed);
  return first?.segment ?? "";
}
