import { designIntents } from "../../../app/features/designs/intents.ts";
import { imageIntents } from "../../../app/features/images/gallery/image-intents.ts";
import { projectIntents } from "../../../app/features/projects/intents.ts";
import { trashIntents } from "../../../app/features/trash/intents.ts";

export const describedIntents: readonly string[] = Object.keys({
  ...projectIntents,
  ...designIntents,
  ...imageIntents,
  ...trashIntents,
}).toSorted();
