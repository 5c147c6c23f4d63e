import type { FilterClause } from "../../convex/model/accounts/adapterFilters";

export const equals = (field: string, value: string | number): FilterClause => ({
  field,
  value,
  operator: "eq",
  connector: "AND",
  mode: "sensitive",
});
