/** What is searched by, of what stands in an address or a field: as the server cuts it, so that an answer and its question are known by one text. */
export const searchText = (typed: string, maxLength: number): string => typed.slice(0, maxLength).toWellFormed().trim();
