const number = new Intl.NumberFormat("en");

/** "1 image", "3 images", "1,204 images". */
export function count(many: number, one: string, other = `${one}s`): string {
  return `${number.format(many)} ${many === 1 ? one : other}`;
}
