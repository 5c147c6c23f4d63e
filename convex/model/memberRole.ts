import { v } from "convex/values";

export const memberRole = v.union(v.literal("editor"), v.literal("commenter"), v.literal("viewer"));
