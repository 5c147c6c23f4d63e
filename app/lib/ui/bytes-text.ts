/** Formats bytes in units of 1,000, as file managers and cameras do: "1.5 MB". */
export function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = Math.min(units.length - 1, Math.floor((String(Math.floor(Math.max(1, bytes))).length - 1) / 3));
  const number = new Intl.NumberFormat("en", { maximumFractionDigits: power === 0 ? 0 : 1 });
  return `${number.format(bytes / 1000 ** power)} ${units[power]}`;
}
