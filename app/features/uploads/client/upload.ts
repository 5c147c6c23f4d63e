export type UploadTarget = { designId: string; designName: string };

export type Upload = UploadTarget & {
  id: string;
  name: string;
  size: number;
  /** `interrupted`: retried automatically. `duplicate`: waits for the user's decision. */
  state: "waiting" | "sending" | "interrupted" | "paused" | "processing" | "added" | "duplicate" | "failed" | "cancelled";
  sent: number;
  speed: number | null;
  problem: string | null;
  canRetry: boolean;
  imageId: string | null;
  duplicateOf: { imageId: string; name: string } | null;
  isResumed: boolean;
};

const ACTIVE_STATES = new Set<Upload["state"]>(["waiting", "sending", "interrupted", "paused", "processing"]);

export const isActive = ({ state }: Upload): boolean => ACTIVE_STATES.has(state);

export const canCancel = (upload: Upload): boolean => (isActive(upload) && upload.state !== "processing") || upload.state === "duplicate";

export const canPause = ({ state }: Upload): boolean => state === "waiting" || state === "sending" || state === "interrupted";
