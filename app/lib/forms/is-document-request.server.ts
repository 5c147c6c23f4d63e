import type { RouterContextProvider } from "react-router";

export type ActionRequest = { request: Request; context: Readonly<RouterContextProvider>; url: URL };

/** Returns whether the browser requests a document. Requests by React Router's scripts end in `.data`. */
export const isDocumentRequest = (request: Request): boolean => !new URL(request.url).pathname.endsWith(".data");
