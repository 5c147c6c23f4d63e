/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as access from "../access.js";
import type * as accounts_archive from "../accounts/archive.js";
import type * as accounts_belongings from "../accounts/belongings.js";
import type * as accounts_events from "../accounts/events.js";
import type * as accounts_expiry from "../accounts/expiry.js";
import type * as accounts_linked from "../accounts/linked.js";
import type * as accounts_mail from "../accounts/mail.js";
import type * as accounts_mailTables from "../accounts/mailTables.js";
import type * as accounts_mine from "../accounts/mine.js";
import type * as accounts_noticeTables from "../accounts/noticeTables.js";
import type * as accounts_notices from "../accounts/notices.js";
import type * as accounts_pictures from "../accounts/pictures.js";
import type * as accounts_placeholder from "../accounts/placeholder.js";
import type * as accounts_plan from "../accounts/plan.js";
import type * as accounts_removal from "../accounts/removal.js";
import type * as accounts_rows from "../accounts/rows.js";
import type * as accounts_screenTables from "../accounts/screenTables.js";
import type * as accounts_service from "../accounts/service.js";
import type * as accounts_sessions from "../accounts/sessions.js";
import type * as accounts_storage from "../accounts/storage.js";
import type * as accounts_store from "../accounts/store.js";
import type * as accounts_tables from "../accounts/tables.js";
import type * as accounts_where from "../accounts/where.js";
import type * as activities from "../activities.js";
import type * as activity from "../activity.js";
import type * as activityShape from "../activityShape.js";
import type * as billing from "../billing.js";
import type * as candidates from "../candidates.js";
import type * as check from "../check.js";
import type * as copies from "../copies.js";
import type * as crons from "../crons.js";
import type * as designImages from "../designImages.js";
import type * as designs from "../designs.js";
import type * as errors from "../errors.js";
import type * as files from "../files.js";
import type * as limits from "../limits.js";
import type * as many from "../many.js";
import type * as moves from "../moves.js";
import type * as notices from "../notices.js";
import type * as order from "../order.js";
import type * as paging from "../paging.js";
import type * as plans from "../plans.js";
import type * as projects from "../projects.js";
import type * as purge from "../purge.js";
import type * as released from "../released.js";
import type * as rules from "../rules.js";
import type * as search from "../search.js";
import type * as shapes from "../shapes.js";
import type * as sorting from "../sorting.js";
import type * as summaries from "../summaries.js";
import type * as sweep from "../sweep.js";
import type * as tagTables from "../tagTables.js";
import type * as tagging from "../tagging.js";
import type * as tags from "../tags.js";
import type * as targets from "../targets.js";
import type * as trash from "../trash.js";
import type * as trashing from "../trashing.js";
import type * as upgrade from "../upgrade.js";
import type * as uploads from "../uploads.js";
import type * as usage from "../usage.js";
import type * as versionTables from "../versionTables.js";
import type * as versions from "../versions.js";
import type * as wall from "../wall.js";
import type * as words from "../words.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  access: typeof access;
  "accounts/archive": typeof accounts_archive;
  "accounts/belongings": typeof accounts_belongings;
  "accounts/events": typeof accounts_events;
  "accounts/expiry": typeof accounts_expiry;
  "accounts/linked": typeof accounts_linked;
  "accounts/mail": typeof accounts_mail;
  "accounts/mailTables": typeof accounts_mailTables;
  "accounts/mine": typeof accounts_mine;
  "accounts/noticeTables": typeof accounts_noticeTables;
  "accounts/notices": typeof accounts_notices;
  "accounts/pictures": typeof accounts_pictures;
  "accounts/placeholder": typeof accounts_placeholder;
  "accounts/plan": typeof accounts_plan;
  "accounts/removal": typeof accounts_removal;
  "accounts/rows": typeof accounts_rows;
  "accounts/screenTables": typeof accounts_screenTables;
  "accounts/service": typeof accounts_service;
  "accounts/sessions": typeof accounts_sessions;
  "accounts/storage": typeof accounts_storage;
  "accounts/store": typeof accounts_store;
  "accounts/tables": typeof accounts_tables;
  "accounts/where": typeof accounts_where;
  activities: typeof activities;
  activity: typeof activity;
  activityShape: typeof activityShape;
  billing: typeof billing;
  candidates: typeof candidates;
  check: typeof check;
  copies: typeof copies;
  crons: typeof crons;
  designImages: typeof designImages;
  designs: typeof designs;
  errors: typeof errors;
  files: typeof files;
  limits: typeof limits;
  many: typeof many;
  moves: typeof moves;
  notices: typeof notices;
  order: typeof order;
  paging: typeof paging;
  plans: typeof plans;
  projects: typeof projects;
  purge: typeof purge;
  released: typeof released;
  rules: typeof rules;
  search: typeof search;
  shapes: typeof shapes;
  sorting: typeof sorting;
  summaries: typeof summaries;
  sweep: typeof sweep;
  tagTables: typeof tagTables;
  tagging: typeof tagging;
  tags: typeof tags;
  targets: typeof targets;
  trash: typeof trash;
  trashing: typeof trashing;
  upgrade: typeof upgrade;
  uploads: typeof uploads;
  usage: typeof usage;
  versionTables: typeof versionTables;
  versions: typeof versions;
  wall: typeof wall;
  words: typeof words;
}>;

/**
 * A utility for referencing Convex functions in your app's public API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = api.myModule.myFunction;
 * ```
 */
export declare const api: FilterApi<
  typeof fullApi,
  FunctionReference<any, "public">
>;

/**
 * A utility for referencing Convex functions in your app's internal API.
 *
 * Usage:
 * ```js
 * const myFunctionReference = internal.myModule.myFunction;
 * ```
 */
export declare const internal: FilterApi<
  typeof fullApi,
  FunctionReference<any, "internal">
>;

export declare const components: {};
