import { expect, it } from "vitest";
import { providerIds } from "../../../../../server/config/providers";
import { providerIcon } from "./provider-icons.server";

it.each(providerIds.map((id) => [id]))("has an icon for %s", (id) => {
  expect(providerIcon(id)).toMatch(/^[Mm][\d ]/);
});
