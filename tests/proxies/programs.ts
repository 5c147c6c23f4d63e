import type { Program } from "../harness/programs.ts";

export type ProxyName = "nginx" | "Caddy" | "HAProxy" | "Apache";

export const PROGRAMS: Record<ProxyName, Program> = {
  nginx: { variable: "NGINX_PATH", names: ["nginx", "/usr/sbin/nginx"], debianPackage: "nginx-light" },
  Caddy: { variable: "CADDY_PATH", names: ["caddy"], debianPackage: "caddy" },
  HAProxy: { variable: "HAPROXY_PATH", names: ["haproxy", "/usr/sbin/haproxy"], debianPackage: "haproxy" },
  Apache: { variable: "APACHE_PATH", names: ["apache2", "/usr/sbin/apache2"], debianPackage: "apache2" },
};
