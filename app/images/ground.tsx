import { useState } from "react";
import { type Ground, groundCookie, GROUNDS } from "~/ui/preferences";
import { Choice } from "./choice";

const LABELS: Record<Ground, string> = {
  wall: "The page's wall",
  black: "Black",
  grey: "Mid grey",
  white: "White",
  checker: "Checkerboard",
};

/** What stands behind a picture, chosen by eye; kept for the next one, so that the server renders it. */
export function useGround(atFirst: Ground) {
  const [ground, setGround] = useState(atFirst);
  const choose = (next: Ground) => {
    setGround(next);
    document.cookie = groundCookie(next, location.protocol === "https:");
  };
  const next = () => choose(GROUNDS[(GROUNDS.indexOf(ground) + 1) % GROUNDS.length] ?? "wall");
  return { ground, choose, next };
}

export function GroundChoice({ ground, choose }: Pick<ReturnType<typeof useGround>, "ground" | "choose">) {
  return (
    <Choice
      name="ground"
      label="Ground"
      value={ground}
      options={GROUNDS.map((value) => ({ value, label: LABELS[value], icon: <span data-ground={value} className="ground-sample" /> }))}
      onChoose={choose}
      className="shrink-0"
    />
  );
}
