// What the theme's own script expects: values kept in the browser, under the address of the site.
"use strict";
var __md_scope = new URL(".", document.currentScript.src);
var __md_hash = (text) => [...text].reduce((sum, char) => (sum << 5) - sum + char.charCodeAt(0), 0);
var __md_get = (key, storage = localStorage, scope = __md_scope) =>
  JSON.parse(storage.getItem(`${scope.pathname}.${key}`));
var __md_set = (key, value, storage = localStorage, scope = __md_scope) => {
  try {
    storage.setItem(`${scope.pathname}.${key}`, JSON.stringify(value));
  } catch {
    // Without room, or where storing is not allowed, nothing is remembered.
  }
};
