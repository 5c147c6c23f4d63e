import { readOnly } from "./errors";

/** Whether `npm run move` copies the data (decision 223). A variable, because the move replaces all rows. */
export const isReadOnly = (): boolean => Boolean(process.env.READ_ONLY);

export function expectWritable(): void {
  if (isReadOnly()) throw readOnly();
}
