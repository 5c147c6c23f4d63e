import { v } from "convex/values";

/** Stored for members. The owner has no row, but `projects.ownerId`. */
export const memberRole = v.union(v.literal("editor"), v.literal("commenter"), v.literal("viewer"));
