import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { shownAhead } from "~/data/pending";
import { tagsWith, tagsWithout } from "~/tags/words";
import { designIntents } from "~/designs/intents";
import { type Intent, intent, listIn } from "~/forms/intents";
import { ORDER_FIELDS, orderArgs, reordered } from "~/forms/order";
import { api } from "#convex/_generated/api";

export type DesignImage = FunctionReturnType<typeof api.designImages.getDesignImagesByDesignId>[number];

/** What forms can ask for about the images of a design. Adding them is no intent: files take a way of their own (`take.server.ts`). */
export const imageIntents = {
  renameImage: intent({
    mutation: api.designImages.rename,
    fields: ["id", "name"],
    args: (of) => ({ id: of("id"), name: of("name") }),
    optimistic(store, { id, ...typed }) {
      const name = typed.name.trim();
      if (name === "") return;
      changeLists(store, (images) => (has(images, id) ? images.map((image) => (image._id === id ? { ...image, name } : image)) : images));
    },
    told: { text: "Image renamed", quietly: true },
  }),

  captionImage: intent({
    mutation: api.designImages.setCaption,
    fields: ["id", "caption"],
    args: (of) => ({ id: of("id"), caption: of("caption") }),
    optimistic(store, { id, ...typed }) {
      const caption = typed.caption.trim();
      changeImage(store, id, (image) => ({ ...image, caption }));
    },
    told: { text: "Caption saved", quietly: true },
  }),

  tagImage: intent({
    mutation: api.tags.tagImage,
    fields: ["id", "tag"],
    args: (of) => ({ id: of("id"), tag: of("tag") }),
    optimistic: (store, { id, tag }) => changeImage(store, id, ({ tags, ...image }) => withTags(image, tagsWith(tags, tag))),
    told: { text: "Tag added", quietly: true },
  }),

  untagImage: intent({
    mutation: api.tags.untagImage,
    fields: ["id", "tag"],
    args: (of) => ({ id: of("id"), tag: of("tag") }),
    optimistic: (store, { id, tag }) => changeImage(store, id, ({ tags, ...image }) => withTags(image, tagsWithout(tags, tag))),
    told: { text: "Tag taken off", quietly: true },
  }),

  makeCurrent: intent({
    mutation: api.versions.makeCurrent,
    fields: ["imageId", "versionId"],
    args: (of) => ({ imageId: of("imageId"), versionId: of("versionId") }),
    told: { text: "This is now the current version", quietly: true },
  }),

  removeImage: intent({
    mutation: api.designImages.moveToTrash,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    optimistic(store, { id }) {
      changeLists(store, (images, designId) => {
        if (!has(images, id)) return images;
        const design = store.getQuery(api.designs.getDesignById, { id: designId });
        if (design) store.setQuery(api.designs.getDesignById, { id: designId }, { ...design, imageCount: design.imageCount - 1 });
        return images.filter((image) => image._id !== id);
      });
    },
    told: { text: "Image moved to the trash", undo: true },
  }),

  duplicateImage: intent({
    mutation: api.designImages.duplicate,
    fields: ["id"],
    args: (of) => ({ id: of("id") }),
    told: { text: "Image copied" },
  }),

  orderImage: intent({
    mutation: api.designImages.reorder,
    fields: ORDER_FIELDS,
    args: orderArgs,
    optimistic(store, args) {
      const pages = store.getAllQueries(api.designImages.listDesignImages);
      const elsewhere = pages.flatMap(({ args: { sort }, value }) => (isByHand(sort) ? (value?.page ?? []) : []));
      changeLists(store, (images, _, sort) => (isByHand(sort) ? reordered(images, args, elsewhere) : images));
    },
    told: { text: "Moved", quietly: true },
  }),

  coverDesign: intent({
    mutation: api.designs.setCover,
    fields: ["id", "imageId"],
    args: (of) => ({ id: of("id"), imageId: of("imageId") }),
    told: { text: "It is the design's cover now" },
  }),

  coverProject: intent({
    mutation: api.projects.setCover,
    fields: ["id", "imageId"],
    args: (of) => ({ id: of("id"), imageId: of("imageId") }),
    told: { text: "It is the project's cover now" },
  }),

  moveImages: intent({
    mutation: api.designImages.move,
    fields: ["ids", "designId"],
    args: (of) => ({ ids: listIn(of("ids")), designId: of("designId") }),
    then: (_, { designId }) => href("/design/:id", { id: encodeURIComponent(designId) }),
    told: { text: "moved", each: "image" },
  }),

  tagImages: intent({
    mutation: api.many.tagImages,
    fields: ["ids", "tag"],
    args: (of) => ({ ids: listIn(of("ids")), tag: of("tag") }),
    told: { text: "tagged", each: "image" },
  }),

  untagImages: intent({
    mutation: api.many.untagImages,
    fields: ["ids", "tag"],
    args: (of) => ({ ids: listIn(of("ids")), tag: of("tag") }),
    told: { text: "no longer tagged so", each: "image" },
  }),

  trashImages: intent({
    mutation: api.many.trashImages,
    fields: ["ids"],
    args: (of) => ({ ids: listIn(of("ids")) }),
    optimistic(store, { ids }) {
      changeLists(store, (images, designId) => {
        const rest = images.filter(({ _id }) => !ids.includes(_id));
        const gone = images.length - rest.length;
        if (gone === 0) return images;
        const design = store.getQuery(api.designs.getDesignById, { id: designId });
        if (design) store.setQuery(api.designs.getDesignById, { id: designId }, { ...design, imageCount: design.imageCount - gone });
        return rest;
      });
    },
    told: { text: "moved to the trash", each: "image", undo: true },
  }),

  moveImage: intent({
    mutation: api.designImages.move,
    fields: ["id", "designId"],
    args: (of) => ({ ids: [of("id")], designId: of("designId") }),
    then: (_, { designId }) => href("/design/:id", { id: encodeURIComponent(designId) }),
    told: { text: "Image moved" },
  }),
};

/** The design's own, asked for on its page: when it is deleted its project is where to go. */
export const designPageIntents = {
  renameDesign: designIntents.renameDesign,
  describeDesign: designIntents.describeDesign,
  tagDesign: designIntents.tagDesign,
  untagDesign: designIntents.untagDesign,
  favouriteDesign: designIntents.favouriteDesign,
  duplicateDesign: designIntents.duplicateDesign,
  latestCoverDesign: designIntents.latestCoverDesign,
  removeDesign: {
    told: designIntents.removeDesign.told,
    fields: [...designIntents.removeDesign.fields, "projectId"],
    async run(run, values) {
      await designIntents.removeDesign.run(run, values);
      return href("/projects/:id", { id: encodeURIComponent(values["projectId"] ?? "") });
    },
  } satisfies Intent,
};

/** An image's own, asked for where it is shown large: when it is deleted its design is where to go. */
export const imagePageIntents = {
  renameImage: imageIntents.renameImage,
  captionImage: imageIntents.captionImage,
  tagImage: imageIntents.tagImage,
  untagImage: imageIntents.untagImage,
  makeCurrent: imageIntents.makeCurrent,
  duplicateImage: imageIntents.duplicateImage,
  coverDesign: imageIntents.coverDesign,
  coverProject: imageIntents.coverProject,
  removeImage: {
    told: imageIntents.removeImage.told,
    fields: [...imageIntents.removeImage.fields, "designId"],
    async run(run, values) {
      await imageIntents.removeImage.run(run, values);
      return href("/design/:id", { id: encodeURIComponent(values["designId"] ?? "") });
    },
  } satisfies Intent,
};

const has = (images: DesignImage[], id: string) => images.some((image) => image._id === id);

const withTags = (image: Omit<DesignImage, "tags">, tags: string[] | undefined): DesignImage => (tags ? { ...image, tags } : image);

/** Changes an image wherever it is shown: in lists, and large. */
function changeImage(store: OptimisticLocalStore, id: string, change: (image: DesignImage) => DesignImage): void {
  changeLists(store, (images) => (has(images, id) ? images.map((image) => (image._id === id ? change(image) : image)) : images));
  const inPlace = store.getQuery(api.designImages.getDesignImageInPlace, { id });
  if (inPlace) store.setQuery(api.designImages.getDesignImageInPlace, { id }, { ...inPlace, image: change(inPlace.image) });
}

type Sort = FunctionArgs<typeof api.designImages.getDesignImagesByDesignId>["sort"];
const isByHand = (sort: Sort): boolean => sort === undefined || sort === "manual";

/** Changes every list of images as shown, whole lists and pages, told which design each is of, and in which order it comes. */
function changeLists(store: OptimisticLocalStore, how: (images: DesignImage[], designId: string, sort: Sort) => DesignImage[]): void {
  const change = (images: DesignImage[], designId: string, sort: Sort) => shownAhead(images, how(images, designId, sort));
  for (const { args, value } of store.getAllQueries(api.designImages.getDesignImagesByDesignId)) {
    const changed = value && change(value, args.designId, args.sort);
    if (changed !== value) store.setQuery(api.designImages.getDesignImagesByDesignId, args, changed);
  }
  for (const { args, value } of store.getAllQueries(api.designImages.listDesignImages)) {
    const changed = value && change(value.page, args.designId, args.sort);
    if (value && changed && changed !== value.page) store.setQuery(api.designImages.listDesignImages, args, { ...value, page: changed });
  }
}
