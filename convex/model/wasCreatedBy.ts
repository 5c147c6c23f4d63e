/** Whether a row was created at or before a time of `Date.now()`. Creation times have fractions of a millisecond. */
export const wasCreatedBy = ({ _creationTime }: { _creationTime: number }, time: number): boolean => Math.floor(_creationTime) <= time;
