export { create, rename } from "../../../convex/projects";
