/** The part of zxcvbn that is used, of which its types say nothing. */
declare module "zxcvbn/lib/frequency_lists.js" {
  const lists: { passwords: string[] };
  export default lists;
}
