import type { HtmlSource } from '#kit'

/** Links lead away only when somebody follows them, and nobody does. */
const LINKS = /<(a|area)\b[^<>]*>/gi

/** Scripts, frames and whatever else is a page in the page; rules of the page that would outlive it. */
const ACTIVE =
  /<(script|i?frame|frameset|object|embed|link|base|video|audio|track|form)\b|\son\w+\s*=|javascript:|http-equiv/i

/** Anything that is fetched and not in the text itself. */
const FETCHED = [
  /\b(src|srcset|href|poster|background|data)\s{0,20}=(?!\s{0,20}["']?\s{0,20}(data:|#))/i,
  /\burl\((?!\s{0,20}["']?\s{0,20}(data:|#))/i,
  /@import|image-set\(/i,
]

/**
 * Whether a page is text and style and nothing else. Such a page leaves nothing behind, so that the browser may draw it
 * where it drew the one before. It is drawn with scripts off and every request refused: what slips past here is drawn
 * with less than it asked for, and reaches no more than any other page.
 */
export function isPlain({ html, assets }: HtmlSource): boolean {
  if (html === undefined || assets.length > 0 || ACTIVE.test(html)) return false
  const drawn = html.replaceAll(LINKS, '')
  return !FETCHED.some(pattern => pattern.test(drawn))
}
