/** Under which name the browser's store has what somebody began to send and did not finish (`leftovers.ts`). */
export const leftoversKey = (personId: string) => `uploads:${personId}`;
