const number = new Intl.NumberFormat("en");

export function count(many: number, one: string, other = `${one}s`): string {
  return `${number.format(many)} ${many === 1 ? one : other}`;
}
