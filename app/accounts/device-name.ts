const BROWSERS: [name: string, sign: RegExp][] = [
  // Each of these also calls itself by the name of one that comes after it.
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\b(OPR|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /\b(Chrome|HeadlessChrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: [name: string, sign: RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(iPhone|iPad|iPod)\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** What a `User-Agent` says to a person: "Firefox on Windows". What says neither is named by its first word ("curl"), or not at all. */
export function deviceName(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (/^[\w.-]{1,40}/.exec(userAgent)?.[0] || "An unknown program");
}

const nameIn = (list: [string, RegExp][], userAgent: string) => list.find(([, sign]) => sign.test(userAgent))?.[0];
