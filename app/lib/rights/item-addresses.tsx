import { createContext, type ReactNode, use } from "react";
import { href } from "react-router";

/** Addresses of an item's pages and files, which differ for visitors of a public link. */
export type ItemAddresses = {
  design: (id: string) => string;
  image: (designId: string, imageId: string) => string;
  /** The parent of the addresses of image files. */
  files: string;
  compare: string;
  /** The list of comments on a design, or on an image in it. */
  comments: (designId: string, imageId?: string) => string;
};

export const SIGNED_IN: ItemAddresses = {
  design: (id) => href("/design/:id", { id }),
  image: (id, imageId) => href("/design/:id/images/:imageId", { id, imageId }),
  files: "/images",
  compare: href("/compare"),
  comments: (id, imageId) =>
    imageId === undefined ? href("/design/:id/comments", { id }) : href("/design/:id/images/:imageId/comments", { id, imageId }),
};

const Addresses = createContext(SIGNED_IN);

export function ItemAddressesProvider({ addresses, children }: { addresses: ItemAddresses; children: ReactNode }) {
  return <Addresses value={addresses}>{children}</Addresses>;
}

export const useItemAddresses = (): ItemAddresses => use(Addresses);
