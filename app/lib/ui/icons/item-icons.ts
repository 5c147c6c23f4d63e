import { Folder, Image, Layers } from "lucide-react";

/** Shown where an item has no picture. */
export const ITEM_ICONS = { project: Folder, design: Layers, image: Image };
