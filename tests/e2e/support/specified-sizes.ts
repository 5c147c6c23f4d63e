/** Sizes and times of specification 9 that the browser tests measure. Widths are in px; 1rem is 16 px. */
export const SIDEBAR = { cookieDays: 7, width: 16 * 16, mobileWidth: 18 * 16, iconWidth: 3 * 16, breakpoint: 768 };
