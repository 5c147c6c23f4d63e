import type { BetterAuthPlugin } from "better-auth";
import { withDevice } from "../../providers/provider-corrections.server";

/** Stores the device id of VK's callback, which VK requires for a token refresh. */
export const vkDevice = () =>
  ({
    id: "vk-device",
    init({ socialProviders }) {
      const vk = socialProviders.find(({ id }) => id === "vk");
      if (!vk) return;
      const { validateAuthorizationCode } = vk;
      vk.validateAuthorizationCode = async (codeData) => {
        const tokens = await validateAuthorizationCode.call(vk, codeData);
        return tokens && withDevice(tokens, codeData.deviceId);
      };
    },
  }) satisfies BetterAuthPlugin;
