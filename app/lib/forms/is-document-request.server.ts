import type { RouterContextProvider } from "react-router";

export type ActionRequest = { request: Request; context: Readonly<RouterContextProvider>; url: URL };

/** Returns whether the browser loads a document, without our scripts; React Router's own requests end in `.data`. */
export const isDocumentRequest = (request: Request): boolean => !new URL(request.url).pathname.endsWith(".data");
