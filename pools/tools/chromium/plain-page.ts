import type { HtmlSource } from '#kit'

// A context of its own costs a process, 50 ms where printing a page costs 25. A page of text and styles alone goes into
// a tab that stays open, where scripts are off and every request is refused whatever this decides.

/** Link targets are ignored, because links are never followed. */
const LINKS = /<(a|area)\b[^<>]*>/gi

/** Scripts, embedded documents, and elements whose effect would outlast the page. */
const ACTIVE_CONTENT =
  /<(script|i?frame|frameset|object|embed|link|base|video|audio|track|form)\b|\son\w+\s*=|javascript:|http-equiv/i

/** References to resources that are not in the HTML itself. */
const EXTERNAL_RESOURCES = [
  /\b(src|srcset|href|poster|background|data)\s{0,20}=(?!\s{0,20}["']?\s{0,20}(data:|#))/i,
  /\burl\((?!\s{0,20}["']?\s{0,20}(data:|#))/i,
  /@import|image-set\(/i,
]

/**
 * Whether a page consists of text and styles only. Such a page leaves no state behind, so it can share a tab with
 * others. Scripts and requests are blocked in that tab: a page that passes this check wrongly loses content, but gains
 * no access.
 */
export function isPlainPage({ html, assets }: HtmlSource): boolean {
  return html !== undefined && assets.length === 0 && !ACTIVE_CONTENT.test(html) && !hasExternalResources(html)
}

/** Whether a page refers to resources that are not in the HTML itself. */
export function hasExternalResources(html: string): boolean {
  const withoutLinks = html.replaceAll(LINKS, '')
  return EXTERNAL_RESOURCES.some(pattern => pattern.test(withoutLinks))
}
