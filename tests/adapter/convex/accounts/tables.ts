import { defineTable, type TableDefinition } from "convex/server";
import { v } from "convex/values";
import { accountTables } from "../../../../convex/model/accounts/tables";

const open = () => defineTable(v.any()).index("id", ["id"]);

function withIndexesOf(table: TableDefinition): TableDefinition {
  const copy: TableDefinition = defineTable(v.any());
  for (const { indexDescriptor, fields } of table[" indexes"]()) {
    const [first, ...others] = fields;
    if (first !== undefined) copy.index(indexDescriptor, [first, ...others]);
  }
  return copy;
}

const users = () => withIndexesOf(accountTables.users).index("email_address", ["email_address"]);

export const suiteTables = {
  users: users(),
  user_customs: users(),
  user_tables: users(),
  accounts: withIndexesOf(accountTables.accounts),
  sessions: withIndexesOf(accountTables.sessions),
  verifications: withIndexesOf(accountTables.verifications),
  organizations: open(),
  members: open().index("organizationId", ["organizationId"]),
  teams: open().index("organizationId", ["organizationId"]),
  invitations: open().index("organizationId", ["organizationId"]),
  testModels: open(),
  oneToOneTables: open().index("oneToOne", ["oneToOne"]),
  one_to_one_tables: open().index("oneToOne", ["oneToOne"]).index("one_to_one", ["one_to_one"]),
};
