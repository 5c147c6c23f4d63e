import { useState } from "react";
import { type Background, backgroundCookie, BACKGROUNDS } from "~/lib/ui/theme/preferences";
import { SegmentedControl } from "~/lib/ui/inputs/segmented-control";

const LABELS: Record<Background, string> = {
  wall: "Match page",
  black: "Black",
  grey: "Mid grey",
  white: "White",
  checker: "Checkerboard",
};

export function useBackground(atFirst: Background) {
  const [background, setBackground] = useState(atFirst);
  const changeBackground = (next: Background) => {
    setBackground(next);
    document.cookie = backgroundCookie(next, location.protocol === "https:");
  };
  const next = () => changeBackground(BACKGROUNDS[(BACKGROUNDS.indexOf(background) + 1) % BACKGROUNDS.length] ?? "wall");
  return { background, choose: changeBackground, next };
}

export function BackgroundPicker({ background, choose }: Pick<ReturnType<typeof useBackground>, "background" | "choose">) {
  return (
    <SegmentedControl
      name="ground"
      label="Background"
      value={background}
      options={BACKGROUNDS.map((value) => ({
        value,
        label: LABELS[value],
        icon: <span data-background={value} className="background-sample" />,
      }))}
      onChoose={choose}
      className="shrink-0"
    />
  );
}
