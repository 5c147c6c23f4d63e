import { Folder, Image, Layers } from "lucide";

export const ITEM_ICONS = { project: Folder, design: Layers, image: Image };
