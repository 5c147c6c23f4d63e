import { defineSchema } from "convex/server";
import { suiteTables } from "./accounts/tables";

export default defineSchema(suiteTables);
