import { httpRouter } from "convex/server";
import { webhook } from "./mails";

const http = httpRouter();
http.route({ path: "/resend", method: "POST", handler: webhook });
export default http;
