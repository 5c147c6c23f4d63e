import { createContext, type MiddlewareFunction, type RouterContextProvider } from "react-router";

/** The signed-in person on whose behalf a request is answered. */
export type Visitor = {
  userId: string;
  sessionId: string;
  user: { id: string; name: string; email: string; emailVerified: boolean; image: string | null };
  /** The person's token for the deployment: at most 15 minutes to live. */
  convexToken: string;
};

type Resolver = { current(): Promise<Visitor | null>; renew(): Promise<Visitor | null> };

const resolverContext = createContext<Resolver>();

/** Who is asking; null: signed out. Resolved once per request, and only when somebody wants to know. */
export const visitor = (context: Readonly<RouterContextProvider>): Promise<Visitor | null> => context.get(resolverContext).current();

/**
 * For when the deployment refuses the visitor's token (`unauthenticated`): looks the session up anew. Null: it has ended, and the browser is
 * told to forget the token; whoever needs a visitor then throws `toSignIn(request)`.
 */
export const renewVisitor = (context: Readonly<RouterContextProvider>): Promise<Visitor | null> => context.get(resolverContext).renew();

export declare const sessionMiddleware: MiddlewareFunction<Response>;
export declare const requireVisitor: MiddlewareFunction<Response>;
/** The redirect to /sign-in that leads back to where this request wanted to go. */
export declare function toSignIn(request: Request): Response;
