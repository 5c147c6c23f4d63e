import type { ComponentProps } from "react";
import { clsx } from "clsx";
import { pressedKey } from "./keys";

export function TextArea({ className, ...rest }: ComponentProps<"textarea">) {
  return (
    <textarea
      dir="auto"
      className={clsx("textbox textbox-tall", className)}
      onKeyDown={(event) => {
        if (pressedKey(event.nativeEvent) === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
      }}
      {...rest}
    />
  );
}
