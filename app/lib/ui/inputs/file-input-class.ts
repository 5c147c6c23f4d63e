export const FILE_INPUT_CLASS =
  "block w-full text-base file:me-3 file:h-9 file:cursor-pointer file:rounded-md file:border file:border-solid file:border-line file:bg-card file:px-3.5 file:font-medium file:text-ink hover:file:bg-hover pointer-coarse:file:h-11";
