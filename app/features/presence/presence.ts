export { DesignPresence } from "./design-presence";
export { Tracker } from "./tracker";
export { ViewerPresence } from "./viewer/viewer-presence";
