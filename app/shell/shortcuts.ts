/**
 * What keys do, by where they do it; of a list of keys each does. `shortcuts.test.ts` holds this against the keys that the app listens to: none is
 * missing here, and none is told that does nothing.
 */
export const SHORTCUTS: { name: string; shortcuts: { keys: string[]; does: string }[] }[] = [
  {
    name: "Everywhere",
    shortcuts: [
      { keys: ["?"], does: "Show this page" },
      { keys: ["Ctrl+K", "Cmd+K"], does: "Go to, do or find anything by its name" },
      { keys: ["Ctrl+B", "Cmd+B"], does: "Collapse or expand the sidebar" },
      { keys: ["Ctrl+Z", "Cmd+Z"], does: "Bring back what went to the trash last" },
      { keys: ["Alt+T"], does: "Go to the messages at the bottom right" },
      { keys: ["Esc"], does: "Close what is open above the page" },
    ],
  },
  {
    name: "A name at the head of a page",
    shortcuts: [
      { keys: ["Enter"], does: "Keep the new name" },
      { keys: ["Esc"], does: "Keep the old one" },
    ],
  },
  {
    name: "A list of designs or images",
    shortcuts: [
      { keys: ["Space"], does: "Select what has the focus, or no longer" },
      { keys: ["Shift+Arrows"], does: "Select on the way there" },
      { keys: ["Arrows", "Home", "End"], does: "While selecting: go on to another" },
      { keys: ["Ctrl+A", "Cmd+A"], does: "Select all" },
      { keys: ["Esc"], does: "Stop selecting" },
    ],
  },
  {
    name: "The handle of something in an order made by hand",
    shortcuts: [
      { keys: ["Space", "Enter"], does: "Take it, and put it down" },
      { keys: ["Arrows", "Home", "End"], does: "Move it" },
      { keys: ["Esc"], does: "Leave it where it was" },
    ],
  },
  {
    name: "An image, shown large",
    shortcuts: [
      { keys: ["Left", "Right"], does: "Previous or next image" },
      { keys: ["Arrows"], does: "Move an image that is larger than the window" },
      { keys: ["+", "-"], does: "Zoom in or out" },
      { keys: ["0"], does: "Fit the image into the window" },
      { keys: ["1"], does: "Show its own pixels (100%)" },
      { keys: ["2"], does: "Fill the window" },
      { keys: ["F"], does: "Full screen" },
      { keys: ["I"], does: "Facts and versions" },
      { keys: ["G"], does: "The next ground behind the image" },
      { keys: ["C"], does: "Compare with another image or version" },
      { keys: ["Esc"], does: "Back to the design" },
    ],
  },
  {
    name: "Two images that are compared",
    shortcuts: [
      { keys: ["Arrows"], does: "Move both" },
      { keys: ["+", "-", "0", "1", "2"], does: "Zoom both" },
      { keys: ["G"], does: "The next ground behind them" },
      { keys: ["Esc"], does: "Back to the first of them" },
    ],
  },
];
