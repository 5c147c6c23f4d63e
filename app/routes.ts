import { index, layout, type RouteConfig, route } from "@react-router/dev/routes";

/**
 * Every address of the app in one table (specification 2). Addresses that the server process answers itself
 * (`/convex/*`, `/healthz`, static files) are not here.
 *
 * The pathless layouts carry the error boundaries: a fault is shown by the nearest one, with everything around it still
 * standing, and none but a fault of the root itself reaches the root, whose boundary would have to build the document anew.
 */
export default [
  layout("routes/outermost.tsx", [
    index("routes/home.tsx"),

    route("sign-in", "routes/sign-in.tsx"),
    route("sign-in/social", "routes/sign-in.social.tsx"),
    route("sign-up", "routes/sign-up.tsx"),
    route("sign-out", "routes/sign-out.tsx"),
    route("two-factor", "routes/two-factor.tsx"),
    route("forgot-password", "routes/forgot-password.tsx"),
    route("reset-password", "routes/reset-password.tsx"),
    route("verify-email", "routes/verify-email.tsx"),
    route("error", "routes/error.tsx"),

    route("dev/ui", "routes/dev.ui.tsx"),
  ]),

  layout("routes/shell.tsx", [
    layout("routes/signed-in.tsx", [
      route("projects", "routes/projects.tsx"),
      route("projects/:id", "routes/project.tsx"),
      route("design/:id", "routes/design.tsx", [route("images/:imageId", "routes/image.tsx")]),
      route("compare", "routes/compare.tsx"),
      route("design/:id/images/:imageId/move", "routes/image.move.tsx"),
      route("design/:id/move", "routes/design.move.tsx"),
      route("projects/:id/activity", "routes/project.activity.tsx"),
      route("projects/:id/images", "routes/project.images.tsx"),
      route("account", "routes/account.tsx", [
        index("routes/account.profile.tsx"),
        route("security", "routes/account.security.tsx"),
        route("sessions", "routes/account.sessions.tsx"),
        route("connections", "routes/account.connections.tsx"),
        route("data", "routes/account.data.tsx"),
      ]),
      route("move/images", "routes/move.images.tsx"),
      route("move/designs", "routes/move.designs.tsx"),
      route("trash", "routes/trash.tsx"),
      route("trash/:id/restore", "routes/trash.restore.tsx"),
      route("search", "routes/search.tsx"),
      route("shortcuts", "routes/shortcuts.tsx"),
      route("billing", "routes/billing.tsx"),
      route("notifications", "routes/notifications.tsx"),
    ]),
    route("dev/outbox", "routes/dev.outbox.tsx"),
    route("*", "routes/not-found.tsx"),
  ]),

  // Resources: they answer with something else than a page.
  route(".well-known/change-password", "routes/change-password.tsx"),
  route("api/auth/*", "routes/api.auth.$.tsx"),
  route("images/:id", "routes/images.$id.tsx"),
  route("people/:id/picture", "routes/people.$id.picture.tsx"),
  route("account/export", "routes/account.export.tsx"),
  route("download/designs/:file", "routes/download.designs.tsx"),
  route("download/projects/:file", "routes/download.projects.tsx"),
  route("download/selection", "routes/download.selection.tsx"),
  route("uploads", "routes/uploads.tsx"),
  route("uploads/:id", "routes/uploads.$id.tsx"),
  route("uploads/:id/finish", "routes/uploads.$id.finish.tsx"),
  route("preferences", "routes/preferences.tsx"),
] satisfies RouteConfig;
