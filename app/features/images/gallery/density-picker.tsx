import { Grid2X2, Grid3X3, Square } from "lucide";
import { Icon } from "~/lib/ui/icons/icon";
import { SegmentedControl } from "~/lib/ui/inputs/segmented-control";
import { showDensity, useDensity } from "~/lib/ui/theme/density";
import { type Density, densityCookie } from "~/lib/ui/theme/preferences";

export const DENSITY_CHOICES = [
  { value: "small", label: "Small images", icon: <Icon of={Grid3X3} /> },
  { value: "medium", label: "Medium images", icon: <Icon of={Grid2X2} /> },
  { value: "large", label: "Large images", icon: <Icon of={Square} /> },
] as const;

export function DensityPicker({ className = "" }: { className?: string }) {
  const density = useDensity();
  function setDensity(next: Density) {
    showDensity(next);
    document.cookie = densityCookie(next, location.protocol === "https:");
  }
  return (
    <SegmentedControl
      name="density"
      label="Image size"
      value={density}
      options={DENSITY_CHOICES}
      onChoose={setDensity}
      className={className}
    />
  );
}
