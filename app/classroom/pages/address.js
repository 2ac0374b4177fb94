/**
 * The class that this page belongs to, from the page's address: "/class/abcdef" or longer.
 */

export const base = location.pathname.split("/").slice(0, 3).join("/");
export const codeHere = base.slice("/class/".length).toUpperCase();
