import type { MetaDescriptor } from "react-router";

const ABOUT = "Projects, designs and their images: live in every open browser, and working without JavaScript.";

const PICTURE = { address: "/og.png", width: "1200", height: "630", alt: "A gallery of images in Atelier" };

type PageAddress = {
  title: string;
  path: string;
  root: { origin: string } | undefined;
};

type LinkPreview = { name: string; address: string; picture: string | null };

export function linkPreview({ name, address, picture }: LinkPreview): MetaDescriptor[] {
  return [
    { property: "og:site_name", content: "Atelier" },
    { property: "og:type", content: "website" },
    { property: "og:title", content: name },
    { property: "og:url", content: address },
    ...(picture === null
      ? []
      : [
          { property: "og:image", content: picture },
          { name: "twitter:card", content: "summary_large_image" },
        ]),
  ];
}

/** Returns a public page's tags. Private pages have no Open Graph tags (https://ogp.me). */
export function publicPage({ title, path, root }: PageAddress): MetaDescriptor[] {
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
