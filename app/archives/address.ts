import { href } from "react-router";

/** Where a project's or a design's originals are had as one zip archive; undefined while there is none in it. */
export const projectArchive = ({ _id, imageCount }: Counted) =>
  imageCount > 0 ? href("/download/projects/:file", { file: `${_id}.zip` }) : undefined;
export const designArchive = ({ _id, imageCount }: Counted) =>
  imageCount > 0 ? href("/download/designs/:file", { file: `${_id}.zip` }) : undefined;

type Counted = { _id: string; imageCount: number };
