import { index, layout, type RouteConfig, type RouteConfigEntry, route } from "@react-router/dev/routes";

/** Pathless layouts have the error boundaries, because the root's would render the whole document again. */
export default [
  layout("routes/outermost.tsx", [
    index("routes/home.tsx"),

    route("sign-in", "routes/sign-in.tsx"),
    route("sign-in/social", "routes/sign-in.social.tsx"),
    route("sign-up", "routes/sign-up.tsx"),
    route("invitation", "routes/invitation.tsx"),
    route("switch-account", "routes/switch-account.tsx"),
    route("sign-out", "routes/sign-out.tsx"),
    route("two-factor", "routes/two-factor.tsx"),
    route("forgot-password", "routes/forgot-password.tsx"),
    route("reset-password", "routes/reset-password.tsx"),
    route("verify-email", "routes/verify-email.tsx"),
    route("error", "routes/error.tsx"),
    route("unsubscribe", "routes/unsubscribe.tsx"),

    route("s/:token", "routes/link.tsx", [
      index("routes/link.target.tsx"),
      route("unlock", "routes/link.unlock.tsx"),
      route("designs/:id", "routes/link.design.tsx", [route("images/:imageId", "routes/link.design.image.tsx")]),
      route("images/:imageId", "routes/link.image.tsx"),
      route("compare", "routes/link.compare.tsx"),
      route("report", "routes/link.report.tsx"),
    ]),

    ...development(route("dev/ui", "routes/dev.ui.tsx")),
  ]),

  layout("routes/shell.tsx", [
    layout("routes/signed-in.tsx", [
      route("projects", "routes/projects.tsx"),
      route("projects/:id", "routes/project.tsx"),
      route("design/:id", "routes/design.tsx", [route("images/:imageId", "routes/image.tsx")]),
      route("compare", "routes/compare.tsx"),
      route("design/:id/comments", "routes/design.comments.tsx"),
      route("design/:id/images/:imageId/comments", "routes/image.comments.tsx"),
      route("design/:id/images/:imageId/move", "routes/image.move.tsx"),
      route("design/:id/move", "routes/design.move.tsx"),
      route("projects/:id/activity", "routes/project.activity.tsx"),
      route("projects/:id/images", "routes/project.images.tsx"),
      route("projects/:id/members", "routes/project.members.tsx"),
      route("projects/:id/review", "routes/project.review.tsx"),
      route("projects/:id/sharing", "routes/project.sharing.tsx"),
      route("projects/:id/webhooks", "routes/project.webhooks.tsx"),
      route("projects/:id/transfer", "routes/project.transfer.tsx"),
      route("shared", "routes/shared.tsx"),
      route("account", "routes/account.tsx", [
        index("routes/account.profile.tsx"),
        route("security", "routes/account.security.tsx"),
        route("sessions", "routes/account.sessions.tsx"),
        route("connections", "routes/account.connections.tsx"),
        route("notifications", "routes/account.notifications.tsx"),
        route("tokens", "routes/account.tokens.tsx"),
        route("data", "routes/account.data.tsx"),
      ]),
      route("move/images", "routes/move.images.tsx"),
      route("move/designs", "routes/move.designs.tsx"),
      route("trash", "routes/trash.tsx"),
      route("trash/:id/restore", "routes/trash.restore.tsx"),
      route("search", "routes/search.tsx"),
      route("shortcuts", "routes/shortcuts.tsx"),
      route("billing", "routes/billing.tsx"),
      route("share/images", "routes/share.images.tsx"),
      route("notifications", "routes/notifications.tsx"),
      route("bulk", "routes/bulk.tsx"),
    ]),
    ...development(route("dev/outbox", "routes/dev.outbox.tsx")),
    route("*", "routes/not-found.tsx"),
  ]),

  route(".well-known/change-password", "routes/change-password.tsx"),
  route("api/auth/*", "routes/api.auth.$.tsx"),
  route("api/v1/*", "routes/api.v1.$.tsx"),
  route("images/:id", "routes/images.$id.tsx"),
  route("s/:token/files/:id", "routes/link.file.tsx"),
  route("s/:token/token", "routes/link.token.tsx"),
  route("people/:id/picture", "routes/people.$id.picture.tsx"),
  route("account/export", "routes/account.export.tsx"),
  route("download/designs/:file", "routes/download.designs.tsx"),
  route("download/projects/:file", "routes/download.projects.tsx"),
  route("download/selection", "routes/download.selection.tsx"),
  route("uploads", "routes/uploads.tsx"),
  route("uploads/batch", "routes/uploads.batch.tsx"),
  route("uploads/:id", "routes/uploads.$id.tsx"),
  route("uploads/:id/finish", "routes/uploads.$id.finish.tsx"),
  route("share", "routes/share.tsx"),
  route("undo", "routes/undo.tsx"),
  route("preferences", "routes/preferences.tsx"),
  route("presence/leave", "routes/presence.leave.tsx"),
] satisfies RouteConfig;

function development(...routes: RouteConfigEntry[]): RouteConfigEntry[] {
  return process.env["ATELIER_BUILD"] === "production" ? [] : routes;
}
