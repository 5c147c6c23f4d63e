import type { Cookie } from "../../harness/people.ts";

export type Point = { x: number; y: number };
export type Box = Point & { width: number; height: number };

export type Key =
  | "Tab"
  | "Enter"
  | "Escape"
  | "Space"
  | "ArrowDown"
  | "ArrowUp"
  | "ArrowLeft"
  | "ArrowRight"
  | "Home"
  | "End"
  | "Delete"
  | "F2"
  | "i"
  | "k"
  | "z";
export type Modifier = "Shift" | "Control";

export type DriverOptions = { width: number; height: number; javaScript: boolean };

export type Driver = {
  version: string;
  goto(url: string): Promise<void>;
  url(): Promise<string>;
  /** Runs a self-contained function in the page, also without JavaScript; returns its JSON result. */
  evaluate<Args extends unknown[], Result>(run: (...args: Args) => Result, ...args: Args): Promise<Result>;
  click(point: Point, options?: { button?: "left" | "right"; modifier?: Modifier }): Promise<void>;
  drag(from: Point, to: Point): Promise<void>;
  press(key: Key, modifier?: Modifier): Promise<void>;
  type(text: string): Promise<void>;
  chooseFiles(paths: string[]): Promise<void>;
  addCookies(cookies: Cookie[]): Promise<void>;
  screenshot(): Promise<Buffer>;
  errors(): Promise<string[]>;
  close(): Promise<void>;
};

export type Installation = {
  name: "Firefox" | "WebKit";
  check(): void;
  launch(options: DriverOptions): Promise<Driver>;
};
