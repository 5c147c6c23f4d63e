import { rejectBeforeUpload } from "./file-selection/reject-before-upload";
import type { QueuedUpload } from "./queue/queued-upload";
import { isSmall } from "./transfer/batch";
import { createTransferRate, type TransferRate } from "./transfer/transfer-rate";
import type { Upload } from "./upload";

export type UploadItem = {
  upload: Upload;
  queued: QueuedUpload;
  file: File | null;
  url: string | null;
  checksum: Promise<string | null> | null;
  /** Identifies the file on the server once it was sent in a batch. From then on, it is sent only in batches. */
  key: string | null;
  anyway: boolean;
  tries: number;
  furthest: number;
  stop: AbortController | null;
  timer: ReturnType<typeof setTimeout> | null;
  rate: TransferRate;
  progressAt: number;
};

type Origin = { id: string; isResumed: boolean; isFromEarlierPage: boolean };

export function createUploadItem(queued: QueuedUpload, file: File | null, { id, isResumed, isFromEarlierPage }: Origin): UploadItem {
  const problem = file && rejectBeforeUpload(file);
  const { designId, designName, name, size, url, paused } = queued;
  return {
    upload: {
      designId,
      designName,
      id,
      name,
      size,
      state: problem !== null ? "failed" : paused && file ? "paused" : "waiting",
      sent: 0,
      speed: null,
      problem,
      canRetry: false,
      imageId: null,
      duplicateOf: null,
      isResumed,
    },
    queued,
    file,
    url,
    checksum: null,
    key: isFromEarlierPage && url === null && file && isSmall(file) ? queued.id : null,
    anyway: false,
    tries: 0,
    furthest: 0,
    stop: null,
    timer: null,
    rate: createTransferRate(),
    progressAt: 0,
  };
}

export const isBatchable = (item: UploadItem): boolean =>
  item.upload.state === "waiting" && item.url === null && item.file !== null && isSmall(item.file);

export const canResume = ({ file, url }: UploadItem): boolean => file !== null || url !== null;
