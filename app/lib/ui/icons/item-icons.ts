import { Folder, Image, Layers } from "lucide-react";

export const ITEM_ICONS = { project: Folder, design: Layers, image: Image };
