import type { FilterClause } from "../../convex/model/accounts/adapterFilters";

/** Returns the condition of Better Auth's adapter that a field equals a value. */
export const equals = (field: string, value: string | number): FilterClause => ({
  field,
  value,
  operator: "eq",
  connector: "AND",
  mode: "sensitive",
});
