import { cx } from "./cx";

/** A person's picture, or the first letter of their name or email (specification 2). Decoration: the name stands beside it. */
export function Avatar({ name, email, image, className }: { name: string; email: string; image: string | null; className?: string }) {
  const place = cx("size-8 shrink-0 overflow-hidden rounded-md bg-hover", className);
  if (image) return <img src={image} alt="" width={32} height={32} referrerPolicy="no-referrer" className={cx(place, "object-cover")} />;
  return (
    <span aria-hidden="true" className={cx(place, "grid place-items-center text-base font-semibold text-ink uppercase")}>
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
