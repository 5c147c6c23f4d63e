export { default } from "../../../convex/auth.config";
