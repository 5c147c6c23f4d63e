import { href } from "react-router";

export const projectArchive = ({ _id, imageCount }: Counted) =>
  imageCount > 0 ? href("/download/projects/:file", { file: `${_id}.zip` }) : undefined;
export const designArchive = ({ _id, imageCount }: Counted) =>
  imageCount > 0 ? href("/download/designs/:file", { file: `${_id}.zip` }) : undefined;

type Counted = { _id: string; imageCount: number };
