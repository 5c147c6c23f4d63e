import { httpRouter } from "convex/server";
import { generate } from "./streams";

const http = httpRouter();
http.route({ path: "/generate", method: "POST", handler: generate });
export default http;
