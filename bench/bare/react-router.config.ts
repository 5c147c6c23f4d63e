export default { appDirectory: "app", buildDirectory: process.env["BARE_BUILD"] ?? "build", ssr: true };
