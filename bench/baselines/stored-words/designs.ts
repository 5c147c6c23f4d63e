export { create } from "../../../convex/designs";
