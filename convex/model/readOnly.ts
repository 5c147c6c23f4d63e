import { readOnly } from "./errors";

/** Whether `npm run move` copies the data (decision 223). A variable, because the move replaces all rows. */
export const isReadOnly = (): boolean => Boolean(process.env.READ_ONLY);

/** Throws a refusal that says that the data is being moved. */
export function expectWritable(): void {
  if (isReadOnly()) throw readOnly();
}
