export const searchText = (typed: string, maxLength: number): string => typed.slice(0, maxLength).toWellFormed().trim();
