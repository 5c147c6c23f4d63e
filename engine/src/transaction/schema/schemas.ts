import { indexOf, type Catalog } from "../../storage/catalog.ts";
import type { Json } from "../../values/types.ts";
import type { Settings } from "../types.ts";
import { Schema } from "./schema.ts";

/** Key of the app's schema. In keys of components, the component's path follows. */
const SETTING = "_schema";

export class Schemas {
  readonly #byComponent = new Map<string, Schema>();
  readonly #catalog: Catalog;

  private constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  static read(settings: Settings, catalog: Catalog): Schemas {
    const schemas = new Schemas(catalog);
    for (const [component, json] of Object.entries(schemaSettings(settings))) schemas.set(component, parseSchema(json, catalog, component));
    return schemas;
  }

  of(component: string): Schema {
    const known = this.#byComponent.get(component);
    if (known !== undefined) return known;
    const open = parseSchema(null, this.#catalog, component);
    this.#byComponent.set(component, open);
    return open;
  }

  set(component: string, schema: Schema): void {
    this.#byComponent.set(component, schema);
    for (const { name, indexes } of schema.tables.values()) {
      const table = this.#catalog.namespace(component).find(name);
      for (const definition of indexes) {
        const index = table && indexOf(table, definition);
        if (index) index.staged = definition.staged === true;
      }
    }
  }
}

export function schemaSettings(settings: Settings): Record<string, Json> {
  return Object.fromEntries(
    settings
      .list(SETTING)
      .map(({ name, value }): [string, Json] => [name === SETTING ? "" : name.slice(SETTING.length + 1), JSON.parse(value)]),
  );
}

export function storeSchema(settings: Settings, component: string, json: Json | null): void {
  settings.set(component === "" ? SETTING : `${SETTING}/${component}`, JSON.stringify(json));
}

export function parseSchema(json: Json | null, catalog: Catalog, component: string): Schema {
  const namespace = catalog.namespace(component);
  return new Schema(json, { tableOf: (id) => namespace.tableOf(id)?.name ?? null });
}
