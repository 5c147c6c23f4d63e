declare module "zxcvbn/lib/frequency_lists.js" {
  const lists: { passwords: string[] };
  export default lists;
}
