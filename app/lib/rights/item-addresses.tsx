import { createContext, type ReactNode, use } from "react";
import { href } from "react-router";

export type ItemAddresses = {
  design: (id: string) => string;
  image: (designId: string, imageId: string) => string;
  files: string;
  compare: string;
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
