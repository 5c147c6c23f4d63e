import { useState } from "react";
import { loadModule } from "~/lib/data/connection/load-module";
import { FORM_MAX_BYTES, UPLOAD_FIELDS } from "../../upload-result";

const FAILED = "Something went wrong. Nothing was saved. Try again.";

export function useUploadAhead() {
  const [state, setState] = useState<{ isUploading: boolean; problem: string | null }>({ isUploading: false, problem: null });

  async function uploadFirst(form: FormData, field: string, metadata: Record<string, string>): Promise<boolean> {
    const file = form.get(field);
    if (!(file instanceof File) || !isLarge(file)) {
      setState({ isUploading: false, problem: null });
      return true;
    }
    setState({ isUploading: true, problem: null });
    try {
      const { uploadAhead } = await loadModule(() => import("./upload-ahead"));
      const id = await uploadAhead(file, metadata);
      form.delete(field);
      form.set(UPLOAD_FIELDS.uploaded, id);
      setState({ isUploading: false, problem: null });
      return true;
    } catch (error) {
      setState({ isUploading: false, problem: error instanceof Error ? error.message : FAILED });
      return false;
    }
  }

  return { ...state, uploadFirst };
}

export const isLarge = (file: FormDataEntryValue | null): boolean => file instanceof File && file.size > FORM_MAX_BYTES;
