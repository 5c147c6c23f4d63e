import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { markOptimistic } from "~/lib/data/pending";
import { bulkIntent } from "~/features/selection/whole-selection";
import { tagsWith, tagsWithout } from "~/features/tags/tag-list";
import { designIntents } from "~/features/designs/intents";
import { type FormValues, intent, withRedirect } from "~/lib/forms/intents";
import { duplicateIntent, renameIntent, reorderIntent, tagIntents } from "~/lib/forms/items/item-intents";
import { reordered } from "~/lib/forms/items/order";
import { api } from "#convex/_generated/api";
import { rotationAfter } from "#convex/model/images/rotationAfter";

export type DesignImage = FunctionReturnType<typeof api.designImages.getDesignImagesByDesignId>[number];

const tagging = tagIntents(
  "image",
  { tag: api.tags.tagImage, untag: api.tags.untagImage, tagMany: api.many.tagImages, untagMany: api.many.untagImages },
  (store, id, change) => changeImage(store, id, ({ tags, ...image }) => withTags(image, change(tags))),
  { tagsWith, tagsWithout },
);

const toDesign = ({ designId, stay }: FormValues) => (stay ? null : href("/design/:id", { id: encodeURIComponent(String(designId)) }));

export const imageIntents = {
  renameImage: renameIntent("Image", api.designImages.rename, (store, id, name) =>
    changeLists(store, (images) => (has(images, id) ? images.map((image) => (image._id === id ? { ...image, name } : image)) : images)),
  ),

  captionImage: intent({
    mutation: api.designImages.setCaption,
    fields: ["id", "caption"],
    optional: ["from"],
    args: (values) => values,
    optimistic(store, { id, ...typed }) {
      const caption = typed.caption.trim();
      changeImage(store, id, (image) => ({ ...image, caption }));
    },
    message: { text: "Caption saved" },
    undo: true,
  }),

  tagImage: tagging.tag,
  untagImage: tagging.untag,
  tagImages: bulkIntent(tagging.tagMany, { kind: "image", action: ({ tag }) => ({ type: "tag", tag: String(tag) }) }),
  untagImages: bulkIntent(tagging.untagMany, { kind: "image", action: ({ tag }) => ({ type: "untag", tag: String(tag) }) }),

  makeCurrent: intent({
    mutation: api.versions.makeCurrent,
    fields: ["imageId", "versionId"],
    args: ({ imageId, versionId }) => ({ imageId, versionId }),
    message: { text: "Version restored", quietly: true },
  }),

  rotateImage: intent({
    mutation: api.designImages.rotate,
    fields: ["id", "direction"],
    args: ({ id, direction }) => ({ id, direction: directionOf(direction) }),
    optimistic(store, { id, direction }) {
      changeImage(store, id, ({ width, height, rotation = 0, ...image }) => ({
        ...image,
        width: height,
        height: width,
        rotation: rotationAfter(rotation, directionOf(direction)),
      }));
    },
    message: { text: "Image rotated" },
    undo: true,
  }),

  removeImage: intent({
    mutation: api.designImages.moveToTrash,
    fields: ["id"],
    args: ({ id }) => ({ id }),
    optimistic(store, { id }) {
      changeLists(store, (images, designId) => {
        if (!has(images, id)) return images;
        const design = store.getQuery(api.designs.getDesignById, { id: designId });
        if (design) store.setQuery(api.designs.getDesignById, { id: designId }, { ...design, imageCount: design.imageCount - 1 });
        return images.filter((image) => image._id !== id);
      });
    },
    message: { text: "Image moved to the trash" },
    undo: true,
  }),

  duplicateImage: duplicateIntent("Image", api.designImages.duplicate),

  orderImage: reorderIntent(api.designImages.reorder, (store, args) => {
    const pages = store.getAllQueries(api.designImages.listDesignImages);
    const elsewhere = pages.flatMap(({ args: { sort }, value }) => (isByHand(sort) ? (value?.page ?? []) : []));
    changeLists(store, (images, _, sort) => (isByHand(sort) ? reordered(images, args, elsewhere) : images));
  }),

  coverDesign: intent({
    mutation: api.designs.setCover,
    fields: ["id", "imageId"],
    args: ({ id, imageId }) => ({ id, imageId }),
    message: { text: "Design cover set" },
    undo: true,
  }),

  coverProject: intent({
    mutation: api.projects.setCover,
    fields: ["id", "imageId"],
    args: ({ id, imageId }) => ({ id, imageId }),
    message: { text: "Project cover set" },
    undo: true,
  }),

  moveImages: bulkIntent(
    intent({
      mutation: api.designImages.move,
      fields: ["designId"],
      lists: ["ids"],
      optional: ["stay"],
      args: ({ ids, designId }) => ({ ids, designId }),
      then: (_, { designId }, { stay }) => (stay ? null : href("/design/:id", { id: encodeURIComponent(designId) })),
      message: { text: "moved", each: "image" },
      undo: true,
    }),
    { kind: "image", action: ({ designId }) => ({ type: "move", to: String(designId) }), then: toDesign },
  ),

  copyImages: bulkIntent(
    intent({
      mutation: api.many.copyImages,
      fields: ["designId"],
      lists: ["ids"],
      optional: ["stay"],
      args: ({ ids, designId }) => ({ ids, designId }),
      then: (_, { designId }, { stay }) => (stay ? null : href("/design/:id", { id: encodeURIComponent(designId) })),
      message: { text: "copied", each: "image" },
      undo: true,
    }),
    { kind: "image", action: ({ designId }) => ({ type: "copy", to: String(designId) }), then: toDesign },
  ),

  trashImages: bulkIntent(
    intent({
      mutation: api.many.trashImages,
      lists: ["ids"],
      args: ({ ids }) => ({ ids }),
      optimistic(store, { ids }) {
        changeLists(store, (images, designId) => {
          const remaining = images.filter(({ _id }) => !ids.includes(_id));
          const removedCount = images.length - remaining.length;
          if (removedCount === 0) return images;
          const design = store.getQuery(api.designs.getDesignById, { id: designId });
          if (design)
            store.setQuery(api.designs.getDesignById, { id: designId }, { ...design, imageCount: design.imageCount - removedCount });
          return remaining;
        });
      },
      message: { text: "moved to the trash", each: "image" },
      undo: true,
    }),
    { kind: "image", action: () => ({ type: "trash" }) },
  ),

  moveImage: intent({
    mutation: api.designImages.move,
    fields: ["id", "designId"],
    args: ({ id, designId }) => ({ ids: [id], designId }),
    then: (_, { designId }) => href("/design/:id", { id: encodeURIComponent(designId) }),
    message: { text: "Image moved" },
    undo: true,
  }),
};

export const designPageIntents = {
  renameDesign: designIntents.renameDesign,
  describeDesign: designIntents.describeDesign,
  tagDesign: designIntents.tagDesign,
  untagDesign: designIntents.untagDesign,
  favouriteDesign: designIntents.favouriteDesign,
  duplicateDesign: designIntents.duplicateDesign,
  latestCoverDesign: designIntents.latestCoverDesign,
  removeDesign: withRedirect(designIntents.removeDesign, ["projectId"], (value) => href("/projects/:id", { id: value("projectId") })),
};

export const imagePageIntents = {
  renameImage: imageIntents.renameImage,
  captionImage: imageIntents.captionImage,
  tagImage: imageIntents.tagImage,
  untagImage: imageIntents.untagImage,
  makeCurrent: imageIntents.makeCurrent,
  rotateImage: imageIntents.rotateImage,
  duplicateImage: imageIntents.duplicateImage,
  coverDesign: imageIntents.coverDesign,
  coverProject: imageIntents.coverProject,
  removeImage: withRedirect(imageIntents.removeImage, ["designId", "next"], (value) => {
    const [id, imageId] = [value("designId"), value("next")];
    return imageId === "" ? href("/design/:id", { id }) : href("/design/:id/images/:imageId", { id, imageId });
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    images: typeof imageIntents;
  }
}

const directionOf = (value: string) => (value === "left" ? ("left" as const) : ("right" as const));

const has = (images: DesignImage[], id: string) => images.some((image) => image._id === id);

const withTags = (image: Omit<DesignImage, "tags">, tags: string[] | undefined): DesignImage => (tags ? { ...image, tags } : image);

function changeImage(store: OptimisticLocalStore, id: string, change: (image: DesignImage) => DesignImage): void {
  changeLists(store, (images) => (has(images, id) ? images.map((image) => (image._id === id ? change(image) : image)) : images));
  const inPlace = store.getQuery(api.designImages.getDesignImageInPlace, { id });
  if (inPlace) store.setQuery(api.designImages.getDesignImageInPlace, { id }, { ...inPlace, image: change(inPlace.image) });
}

type Sort = FunctionArgs<typeof api.designImages.getDesignImagesByDesignId>["sort"];
const isByHand = (sort: Sort): boolean => sort === undefined || sort === "manual";

function changeLists(store: OptimisticLocalStore, how: (images: DesignImage[], designId: string, sort: Sort) => DesignImage[]): void {
  const change = (images: DesignImage[], designId: string, sort: Sort) => markOptimistic(images, how(images, designId, sort));
  for (const { args, value } of store.getAllQueries(api.designImages.getDesignImagesByDesignId)) {
    const changed = value && change(value, args.designId, args.sort);
    if (changed !== value) store.setQuery(api.designImages.getDesignImagesByDesignId, args, changed);
  }
  for (const { args, value } of store.getAllQueries(api.designImages.listDesignImages)) {
    const changed = value && change(value.page, args.designId, args.sort);
    if (value && changed && changed !== value.page) store.setQuery(api.designImages.listDesignImages, args, { ...value, page: changed });
  }
}
