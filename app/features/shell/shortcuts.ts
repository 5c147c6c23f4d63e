/** `shortcuts.test.ts` compares these with the keys that the app handles. */
export const SHORTCUTS: { name: string; shortcuts: { keys: string[]; does: string }[] }[] = [
  {
    name: "Everywhere",
    shortcuts: [
      { keys: ["?"], does: "Show keyboard shortcuts" },
      { keys: ["Ctrl+K", "Cmd+K"], does: "Search or run a command" },
      { keys: ["Ctrl+B", "Cmd+B"], does: "Collapse or expand the sidebar" },
      { keys: ["Ctrl+Z", "Cmd+Z"], does: "Undo" },
      { keys: ["Ctrl+Shift+Z", "Cmd+Shift+Z"], does: "Redo" },
      { keys: ["Ctrl+Enter", "Cmd+Enter"], does: "Save text or send a comment" },
      { keys: ["Alt+T"], does: "Focus messages" },
      { keys: ["Esc"], does: "Close dialog" },
    ],
  },
  {
    name: "Page title",
    shortcuts: [
      { keys: ["Enter"], does: "Save the new name" },
      { keys: ["Esc"], does: "Cancel renaming" },
    ],
  },
  {
    name: "A list of designs or images",
    shortcuts: [
      { keys: ["Space"], does: "Toggle selection" },
      { keys: ["Shift+Arrows"], does: "Extend selection" },
      { keys: ["Arrows", "Home", "End"], does: "Move focus while selecting" },
      { keys: ["Ctrl+A", "Cmd+A"], does: "Select all" },
      { keys: ["Esc"], does: "Stop selecting" },
      { keys: ["Enter"], does: "Open" },
      { keys: ["F2"], does: "Rename" },
      { keys: ["Delete"], does: "Move to trash" },
      { keys: ["Ctrl+D", "Cmd+D"], does: "Duplicate" },
      { keys: ["Ctrl+C", "Cmd+C"], does: "Copy" },
      { keys: ["Ctrl+X", "Cmd+X"], does: "Cut" },
      { keys: ["Ctrl+V", "Cmd+V"], does: "Paste" },
    ],
  },
  {
    name: "Drag handle",
    shortcuts: [
      { keys: ["Space", "Enter"], does: "Pick up or drop" },
      { keys: ["Arrows", "Home", "End"], does: "Move item" },
      { keys: ["Esc"], does: "Cancel" },
    ],
  },
  {
    name: "Image viewer",
    shortcuts: [
      { keys: ["Left", "Right"], does: "Previous or next image" },
      { keys: ["Arrows"], does: "Pan a zoomed image" },
      { keys: ["+", "-"], does: "Zoom in or out" },
      { keys: ["0"], does: "Fit to window" },
      { keys: ["1"], does: "Actual size (100%)" },
      { keys: ["2"], does: "Fill the window" },
      { keys: ["F"], does: "Full screen" },
      { keys: ["H"], does: "Hide or show controls" },
      { keys: ["S"], does: "Start or pause the slideshow" },
      { keys: ["R"], does: "Rotate right" },
      { keys: ["Shift+R"], does: "Rotate left" },
      { keys: ["I"], does: "Details and versions" },
      { keys: ["G"], does: "Next background" },
      { keys: ["C"], does: "Comment on a point or an area" },
      { keys: ["J", "K"], does: "Next or previous comment" },
      { keys: ["Shift+C"], does: "Compare with another image or version" },
      { keys: ["Delete"], does: "Move to trash" },
      { keys: ["Esc"], does: "Close comments or return to the design" },
    ],
  },
  {
    name: "Comment position",
    shortcuts: [
      { keys: ["Arrows"], does: "Move the crosshair" },
      { keys: ["Shift+Arrows"], does: "Draw an area" },
      { keys: ["Enter"], does: "Place the comment" },
      { keys: ["Esc"], does: "Cancel" },
    ],
  },
  {
    name: "Mentioning someone after @",
    shortcuts: [
      { keys: ["Arrows"], does: "Move through the list" },
      { keys: ["Enter", "Tab"], does: "Mention the person" },
      { keys: ["Esc"], does: "Close the list" },
    ],
  },
  {
    name: "Comparison",
    shortcuts: [
      { keys: ["Arrows"], does: "Pan both images" },
      { keys: ["+", "-", "0", "1", "2"], does: "Zoom both images" },
      { keys: ["G"], does: "Next background" },
      { keys: ["Esc"], does: "Return to the first image" },
    ],
  },
];
