/** Preloaded into a deployment's threads: turns off `secure_delete`, so that deleted data stays in the files. */
import { DatabaseSync } from "node:sqlite";
import { Checkpoints } from "@atelier/engine/testing/checkpoints";

const exec: (sql: string) => void = Reflect.get(DatabaseSync.prototype, "exec");
DatabaseSync.prototype.exec = function (sql) {
  const changed = sql.replace("secure_delete = ON", "secure_delete = OFF").replace("('secure-delete', 1)", "('secure-delete', 0)");
  Reflect.apply(exec, this, [changed]);
};
Checkpoints.prototype.recordDeletion = () => undefined;
