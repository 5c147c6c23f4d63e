import type { MetaDescriptor } from "react-router";

/** What Atelier is, in one sentence: for search engines, and for links to it in messages. */
const ABOUT = "Projects, designs and their images: live in every open browser, and working without JavaScript.";

/** `public/og.png`. */
const PICTURE = { address: "/og.png", width: "1200", height: "630", alt: "A wall of pictures in Atelier" };

type Where = {
  title: string;
  /** The address of the page below the origin. */
  path: string;
  /** The root loader's data; it is missing where the root itself failed. */
  root: { origin: string } | undefined;
};

/** The title and the Open Graph tags (https://ogp.me) of a page that anybody may see. What belongs to somebody has none. */
export function publicPage({ title, path, root }: Where): MetaDescriptor[] {
  const tags: MetaDescriptor[] = [{ title }, { name: "description", content: ABOUT }];
  if (!root) return tags;
  return [
    ...tags,
    { property: "og:site_name", content: "Atelier" },
    { property: "og:type", content: "website" },
    { property: "og:title", content: title },
    { property: "og:description", content: ABOUT },
    { property: "og:url", content: root.origin + path },
    { property: "og:image", content: root.origin + PICTURE.address },
    { property: "og:image:width", content: PICTURE.width },
    { property: "og:image:height", content: PICTURE.height },
    { property: "og:image:alt", content: PICTURE.alt },
    { name: "twitter:card", content: "summary_large_image" },
  ];
}
