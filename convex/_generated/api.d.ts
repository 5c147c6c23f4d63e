/* eslint-disable */
/**
 * Generated `api` utility.
 *
 * THIS CODE IS AUTOMATICALLY GENERATED.
 *
 * To regenerate, run `npx convex dev`.
 * @module
 */

import type * as accounts_accessTokens from "../accounts/accessTokens.js";
import type * as accounts_archive from "../accounts/archive.js";
import type * as accounts_belongings from "../accounts/belongings.js";
import type * as accounts_deleted from "../accounts/deleted.js";
import type * as accounts_expiry from "../accounts/expiry.js";
import type * as accounts_invitations from "../accounts/invitations.js";
import type * as accounts_linked from "../accounts/linked.js";
import type * as accounts_mail from "../accounts/mail.js";
import type * as accounts_mine from "../accounts/mine.js";
import type * as accounts_notices from "../accounts/notices.js";
import type * as accounts_pictures from "../accounts/pictures.js";
import type * as accounts_rateLimits from "../accounts/rateLimits.js";
import type * as accounts_reclaim from "../accounts/reclaim.js";
import type * as accounts_removal from "../accounts/removal.js";
import type * as accounts_store from "../accounts/store.js";
import type * as activities from "../activities.js";
import type * as billing from "../billing.js";
import type * as bulk from "../bulk.js";
import type * as commentImages from "../commentImages.js";
import type * as comments from "../comments.js";
import type * as copies from "../copies.js";
import type * as crons from "../crons.js";
import type * as designImages from "../designImages.js";
import type * as designs from "../designs.js";
import type * as httpApi from "../httpApi.js";
import type * as invitations from "../invitations.js";
import type * as jobs_bulk from "../jobs/bulk.js";
import type * as jobs_comments from "../jobs/comments.js";
import type * as jobs_copies from "../jobs/copies.js";
import type * as jobs_countUsage from "../jobs/countUsage.js";
import type * as jobs_history from "../jobs/history.js";
import type * as jobs_links from "../jobs/links.js";
import type * as jobs_notifications from "../jobs/notifications.js";
import type * as jobs_presence from "../jobs/presence.js";
import type * as jobs_purge from "../jobs/purge.js";
import type * as jobs_sweep from "../jobs/sweep.js";
import type * as jobs_sweepReleased from "../jobs/sweepReleased.js";
import type * as jobs_transfers from "../jobs/transfers.js";
import type * as jobs_undoSteps from "../jobs/undoSteps.js";
import type * as jobs_upgrade from "../jobs/upgrade.js";
import type * as jobs_webhooks from "../jobs/webhooks.js";
import type * as linkArchive from "../linkArchive.js";
import type * as linkComments from "../linkComments.js";
import type * as links from "../links.js";
import type * as many from "../many.js";
import type * as members from "../members.js";
import type * as model_access from "../model/access.js";
import type * as model_accounts_accessTokens from "../model/accounts/accessTokens.js";
import type * as model_accounts_adapterFilters from "../model/accounts/adapterFilters.js";
import type * as model_accounts_adapterPlan from "../model/accounts/adapterPlan.js";
import type * as model_accounts_adapterRows from "../model/accounts/adapterRows.js";
import type * as model_accounts_adapterStorage from "../model/accounts/adapterStorage.js";
import type * as model_accounts_events from "../model/accounts/events.js";
import type * as model_accounts_invitationTables from "../model/accounts/invitationTables.js";
import type * as model_accounts_invitations from "../model/accounts/invitations.js";
import type * as model_accounts_mailTables from "../model/accounts/mailTables.js";
import type * as model_accounts_noticeTables from "../model/accounts/noticeTables.js";
import type * as model_accounts_placeholder from "../model/accounts/placeholder.js";
import type * as model_accounts_service from "../model/accounts/service.js";
import type * as model_accounts_sessions from "../model/accounts/sessions.js";
import type * as model_accounts_settingsTables from "../model/accounts/settingsTables.js";
import type * as model_accounts_tables from "../model/accounts/tables.js";
import type * as model_activities_activityShape from "../model/activities/activityShape.js";
import type * as model_activities_recordActivity from "../model/activities/recordActivity.js";
import type * as model_activities_redactDeleted from "../model/activities/redactDeleted.js";
import type * as model_activities_redactItem from "../model/activities/redactItem.js";
import type * as model_bulk_applyAction from "../model/bulk/applyAction.js";
import type * as model_bulk_batches from "../model/bulk/batches.js";
import type * as model_bulk_bulkTables from "../model/bulk/bulkTables.js";
import type * as model_bulk_expectFewRunning from "../model/bulk/expectFewRunning.js";
import type * as model_bulk_reportStoppedCopy from "../model/bulk/reportStoppedCopy.js";
import type * as model_bulk_selectedPage from "../model/bulk/selectedPage.js";
import type * as model_check from "../model/check.js";
import type * as model_comments_commentImages from "../model/comments/commentImages.js";
import type * as model_comments_commentShapes from "../model/comments/commentShapes.js";
import type * as model_comments_commentTables from "../model/comments/commentTables.js";
import type * as model_comments_commentedItem from "../model/comments/commentedItem.js";
import type * as model_comments_guests from "../model/comments/guests.js";
import type * as model_comments_imagesMax from "../model/comments/imagesMax.js";
import type * as model_comments_mentions from "../model/comments/mentions.js";
import type * as model_comments_notifyOfComment from "../model/comments/notifyOfComment.js";
import type * as model_comments_people from "../model/comments/people.js";
import type * as model_comments_reactions from "../model/comments/reactions.js";
import type * as model_comments_readThreads from "../model/comments/readThreads.js";
import type * as model_comments_threads from "../model/comments/threads.js";
import type * as model_comments_unread from "../model/comments/unread.js";
import type * as model_comments_writeComments from "../model/comments/writeComments.js";
import type * as model_creation from "../model/creation.js";
import type * as model_errors from "../model/errors.js";
import type * as model_favourites from "../model/favourites.js";
import type * as model_files from "../model/files.js";
import type * as model_imageFile from "../model/imageFile.js";
import type * as model_isolate from "../model/isolate.js";
import type * as model_itemMutations from "../model/itemMutations.js";
import type * as model_limits_attempts from "../model/limits/attempts.js";
import type * as model_limits_limits from "../model/limits/limits.js";
import type * as model_limits_plans from "../model/limits/plans.js";
import type * as model_limits_usage from "../model/limits/usage.js";
import type * as model_links_linkSettings from "../model/links/linkSettings.js";
import type * as model_links_linkTables from "../model/links/linkTables.js";
import type * as model_links_linkTargets from "../model/links/linkTargets.js";
import type * as model_links_links from "../model/links/links.js";
import type * as model_links_savedLinks from "../model/links/savedLinks.js";
import type * as model_lists_favouritesFirst from "../model/lists/favouritesFirst.js";
import type * as model_lists_manualPage from "../model/lists/manualPage.js";
import type * as model_lists_order from "../model/lists/order.js";
import type * as model_lists_paging from "../model/lists/paging.js";
import type * as model_lists_sorting from "../model/lists/sorting.js";
import type * as model_lists_targets from "../model/lists/targets.js";
import type * as model_memberRole from "../model/memberRole.js";
import type * as model_members from "../model/members.js";
import type * as model_memo from "../model/memo.js";
import type * as model_moves from "../model/moves.js";
import type * as model_names from "../model/names.js";
import type * as model_notifications_kinds from "../model/notifications/kinds.js";
import type * as model_notifications_mailContent from "../model/notifications/mailContent.js";
import type * as model_notifications_nextMorning from "../model/notifications/nextMorning.js";
import type * as model_notifications_notify from "../model/notifications/notify.js";
import type * as model_notifications_queueMails from "../model/notifications/queueMails.js";
import type * as model_notifications_settings from "../model/notifications/settings.js";
import type * as model_notifications_shownNotices from "../model/notifications/shownNotices.js";
import type * as model_presence_presence from "../model/presence/presence.js";
import type * as model_presence_presenceTables from "../model/presence/presenceTables.js";
import type * as model_review_requests from "../model/review/requests.js";
import type * as model_review_reviewCounts from "../model/review/reviewCounts.js";
import type * as model_review_reviewTables from "../model/review/reviewTables.js";
import type * as model_review_setReviews from "../model/review/setReviews.js";
import type * as model_review_statuses from "../model/review/statuses.js";
import type * as model_rights from "../model/rights.js";
import type * as model_rotation from "../model/rotation.js";
import type * as model_rules from "../model/rules.js";
import type * as model_search_fold from "../model/search/fold.js";
import type * as model_search_imageLooks from "../model/search/imageLooks.js";
import type * as model_search_searchCandidates from "../model/search/searchCandidates.js";
import type * as model_search_searchQuery from "../model/search/searchQuery.js";
import type * as model_search_words from "../model/search/words.js";
import type * as model_shapes from "../model/shapes.js";
import type * as model_sharedProjects from "../model/sharedProjects.js";
import type * as model_summaries from "../model/summaries.js";
import type * as model_tags_tagTables from "../model/tags/tagTables.js";
import type * as model_tags_tagging from "../model/tags/tagging.js";
import type * as model_transfers_openOffers from "../model/transfers/openOffers.js";
import type * as model_transfers_projectRows from "../model/transfers/projectRows.js";
import type * as model_transfers_transferRows from "../model/transfers/transferRows.js";
import type * as model_transfers_transferTables from "../model/transfers/transferTables.js";
import type * as model_transfers_transfers from "../model/transfers/transfers.js";
import type * as model_trashing from "../model/trashing.js";
import type * as model_undo_recordChanges from "../model/undo/recordChanges.js";
import type * as model_undo_revertAsJob from "../model/undo/revertAsJob.js";
import type * as model_undo_revertChanges from "../model/undo/revertChanges.js";
import type * as model_undo_undoTables from "../model/undo/undoTables.js";
import type * as model_upgrades from "../model/upgrades.js";
import type * as model_versionTables from "../model/versionTables.js";
import type * as model_webhooks_waitingWebhooks from "../model/webhooks/waitingWebhooks.js";
import type * as model_webhooks_webhookTables from "../model/webhooks/webhookTables.js";
import type * as model_webhooks_webhooks from "../model/webhooks/webhooks.js";
import type * as notices from "../notices.js";
import type * as notificationSettings from "../notificationSettings.js";
import type * as pages from "../pages.js";
import type * as presence from "../presence.js";
import type * as projects from "../projects.js";
import type * as purge from "../purge.js";
import type * as released from "../released.js";
import type * as reviews from "../reviews.js";
import type * as search from "../search.js";
import type * as sweep from "../sweep.js";
import type * as tags from "../tags.js";
import type * as transfers from "../transfers.js";
import type * as trash from "../trash.js";
import type * as undo from "../undo.js";
import type * as upgrade from "../upgrade.js";
import type * as uploads from "../uploads.js";
import type * as usage from "../usage.js";
import type * as versions from "../versions.js";
import type * as wall from "../wall.js";
import type * as webhooks from "../webhooks.js";

import type {
  ApiFromModules,
  FilterApi,
  FunctionReference,
} from "convex/server";

declare const fullApi: ApiFromModules<{
  "accounts/accessTokens": typeof accounts_accessTokens;
  "accounts/archive": typeof accounts_archive;
  "accounts/belongings": typeof accounts_belongings;
  "accounts/deleted": typeof accounts_deleted;
  "accounts/expiry": typeof accounts_expiry;
  "accounts/invitations": typeof accounts_invitations;
  "accounts/linked": typeof accounts_linked;
  "accounts/mail": typeof accounts_mail;
  "accounts/mine": typeof accounts_mine;
  "accounts/notices": typeof accounts_notices;
  "accounts/pictures": typeof accounts_pictures;
  "accounts/rateLimits": typeof accounts_rateLimits;
  "accounts/reclaim": typeof accounts_reclaim;
  "accounts/removal": typeof accounts_removal;
  "accounts/store": typeof accounts_store;
  activities: typeof activities;
  billing: typeof billing;
  bulk: typeof bulk;
  commentImages: typeof commentImages;
  comments: typeof comments;
  copies: typeof copies;
  crons: typeof crons;
  designImages: typeof designImages;
  designs: typeof designs;
  httpApi: typeof httpApi;
  invitations: typeof invitations;
  "jobs/bulk": typeof jobs_bulk;
  "jobs/comments": typeof jobs_comments;
  "jobs/copies": typeof jobs_copies;
  "jobs/countUsage": typeof jobs_countUsage;
  "jobs/history": typeof jobs_history;
  "jobs/links": typeof jobs_links;
  "jobs/notifications": typeof jobs_notifications;
  "jobs/presence": typeof jobs_presence;
  "jobs/purge": typeof jobs_purge;
  "jobs/sweep": typeof jobs_sweep;
  "jobs/sweepReleased": typeof jobs_sweepReleased;
  "jobs/transfers": typeof jobs_transfers;
  "jobs/undoSteps": typeof jobs_undoSteps;
  "jobs/upgrade": typeof jobs_upgrade;
  "jobs/webhooks": typeof jobs_webhooks;
  linkArchive: typeof linkArchive;
  linkComments: typeof linkComments;
  links: typeof links;
  many: typeof many;
  members: typeof members;
  "model/access": typeof model_access;
  "model/accounts/accessTokens": typeof model_accounts_accessTokens;
  "model/accounts/adapterFilters": typeof model_accounts_adapterFilters;
  "model/accounts/adapterPlan": typeof model_accounts_adapterPlan;
  "model/accounts/adapterRows": typeof model_accounts_adapterRows;
  "model/accounts/adapterStorage": typeof model_accounts_adapterStorage;
  "model/accounts/events": typeof model_accounts_events;
  "model/accounts/invitationTables": typeof model_accounts_invitationTables;
  "model/accounts/invitations": typeof model_accounts_invitations;
  "model/accounts/mailTables": typeof model_accounts_mailTables;
  "model/accounts/noticeTables": typeof model_accounts_noticeTables;
  "model/accounts/placeholder": typeof model_accounts_placeholder;
  "model/accounts/service": typeof model_accounts_service;
  "model/accounts/sessions": typeof model_accounts_sessions;
  "model/accounts/settingsTables": typeof model_accounts_settingsTables;
  "model/accounts/tables": typeof model_accounts_tables;
  "model/activities/activityShape": typeof model_activities_activityShape;
  "model/activities/recordActivity": typeof model_activities_recordActivity;
  "model/activities/redactDeleted": typeof model_activities_redactDeleted;
  "model/activities/redactItem": typeof model_activities_redactItem;
  "model/bulk/applyAction": typeof model_bulk_applyAction;
  "model/bulk/batches": typeof model_bulk_batches;
  "model/bulk/bulkTables": typeof model_bulk_bulkTables;
  "model/bulk/expectFewRunning": typeof model_bulk_expectFewRunning;
  "model/bulk/reportStoppedCopy": typeof model_bulk_reportStoppedCopy;
  "model/bulk/selectedPage": typeof model_bulk_selectedPage;
  "model/check": typeof model_check;
  "model/comments/commentImages": typeof model_comments_commentImages;
  "model/comments/commentShapes": typeof model_comments_commentShapes;
  "model/comments/commentTables": typeof model_comments_commentTables;
  "model/comments/commentedItem": typeof model_comments_commentedItem;
  "model/comments/guests": typeof model_comments_guests;
  "model/comments/imagesMax": typeof model_comments_imagesMax;
  "model/comments/mentions": typeof model_comments_mentions;
  "model/comments/notifyOfComment": typeof model_comments_notifyOfComment;
  "model/comments/people": typeof model_comments_people;
  "model/comments/reactions": typeof model_comments_reactions;
  "model/comments/readThreads": typeof model_comments_readThreads;
  "model/comments/threads": typeof model_comments_threads;
  "model/comments/unread": typeof model_comments_unread;
  "model/comments/writeComments": typeof model_comments_writeComments;
  "model/creation": typeof model_creation;
  "model/errors": typeof model_errors;
  "model/favourites": typeof model_favourites;
  "model/files": typeof model_files;
  "model/imageFile": typeof model_imageFile;
  "model/isolate": typeof model_isolate;
  "model/itemMutations": typeof model_itemMutations;
  "model/limits/attempts": typeof model_limits_attempts;
  "model/limits/limits": typeof model_limits_limits;
  "model/limits/plans": typeof model_limits_plans;
  "model/limits/usage": typeof model_limits_usage;
  "model/links/linkSettings": typeof model_links_linkSettings;
  "model/links/linkTables": typeof model_links_linkTables;
  "model/links/linkTargets": typeof model_links_linkTargets;
  "model/links/links": typeof model_links_links;
  "model/links/savedLinks": typeof model_links_savedLinks;
  "model/lists/favouritesFirst": typeof model_lists_favouritesFirst;
  "model/lists/manualPage": typeof model_lists_manualPage;
  "model/lists/order": typeof model_lists_order;
  "model/lists/paging": typeof model_lists_paging;
  "model/lists/sorting": typeof model_lists_sorting;
  "model/lists/targets": typeof model_lists_targets;
  "model/memberRole": typeof model_memberRole;
  "model/members": typeof model_members;
  "model/memo": typeof model_memo;
  "model/moves": typeof model_moves;
  "model/names": typeof model_names;
  "model/notifications/kinds": typeof model_notifications_kinds;
  "model/notifications/mailContent": typeof model_notifications_mailContent;
  "model/notifications/nextMorning": typeof model_notifications_nextMorning;
  "model/notifications/notify": typeof model_notifications_notify;
  "model/notifications/queueMails": typeof model_notifications_queueMails;
  "model/notifications/settings": typeof model_notifications_settings;
  "model/notifications/shownNotices": typeof model_notifications_shownNotices;
  "model/presence/presence": typeof model_presence_presence;
  "model/presence/presenceTables": typeof model_presence_presenceTables;
  "model/review/requests": typeof model_review_requests;
  "model/review/reviewCounts": typeof model_review_reviewCounts;
  "model/review/reviewTables": typeof model_review_reviewTables;
  "model/review/setReviews": typeof model_review_setReviews;
  "model/review/statuses": typeof model_review_statuses;
  "model/rights": typeof model_rights;
  "model/rotation": typeof model_rotation;
  "model/rules": typeof model_rules;
  "model/search/fold": typeof model_search_fold;
  "model/search/imageLooks": typeof model_search_imageLooks;
  "model/search/searchCandidates": typeof model_search_searchCandidates;
  "model/search/searchQuery": typeof model_search_searchQuery;
  "model/search/words": typeof model_search_words;
  "model/shapes": typeof model_shapes;
  "model/sharedProjects": typeof model_sharedProjects;
  "model/summaries": typeof model_summaries;
  "model/tags/tagTables": typeof model_tags_tagTables;
  "model/tags/tagging": typeof model_tags_tagging;
  "model/transfers/openOffers": typeof model_transfers_openOffers;
  "model/transfers/projectRows": typeof model_transfers_projectRows;
  "model/transfers/transferRows": typeof model_transfers_transferRows;
  "model/transfers/transferTables": typeof model_transfers_transferTables;
  "model/transfers/transfers": typeof model_transfers_transfers;
  "model/trashing": typeof model_trashing;
  "model/undo/recordChanges": typeof model_undo_recordChanges;
  "model/undo/revertAsJob": typeof model_undo_revertAsJob;
  "model/undo/revertChanges": typeof model_undo_revertChanges;
  "model/undo/undoTables": typeof model_undo_undoTables;
  "model/upgrades": typeof model_upgrades;
  "model/versionTables": typeof model_versionTables;
  "model/webhooks/waitingWebhooks": typeof model_webhooks_waitingWebhooks;
  "model/webhooks/webhookTables": typeof model_webhooks_webhookTables;
  "model/webhooks/webhooks": typeof model_webhooks_webhooks;
  notices: typeof notices;
  notificationSettings: typeof notificationSettings;
  pages: typeof pages;
  presence: typeof presence;
  projects: typeof projects;
  purge: typeof purge;
  released: typeof released;
  reviews: typeof reviews;
  search: typeof search;
  sweep: typeof sweep;
  tags: typeof tags;
  transfers: typeof transfers;
  trash: typeof trash;
  undo: typeof undo;
  upgrade: typeof upgrade;
  uploads: typeof uploads;
  usage: typeof usage;
  versions: typeof versions;
  wall: typeof wall;
  webhooks: typeof webhooks;
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
