import type { HtmlSource } from '#kit'
import { hasExternalResources } from './plain-page.ts'

// Waiting for what a script might still do was half of the time of a simple page. One whose scripts can do nothing
// later is done once it has loaded.

/** Documents within the page, and elements that load or change by themselves. */
const LIVE_ELEMENTS =
  /<(i?frame|frameset|object|embed|link|base|video|audio|track|form|marquee)\b|http-equiv|javascript:/i

/** Every name by which a script can do something later than while it runs, in upper or lower case. */
const LATER_WORK = [
  /timeout|interval|immediate|\brequest\w|queuemicrotask|schedul|posttask|\bidle/i,
  /promise|\basync\b|\bawait\b|\.(then|catch|finally)\b|\bimport\b/i,
  /fetch|xmlhttp|socket|eventsource|webtransport|beacon|worker|channel|postmessage|rtc|navigator/i,
  /observer|reader|stream|blob|decode|bitmap|\bimage\s*\(|audio|crypto|indexeddb|webassembly|\.fonts\b|fontface/i,
  /animat|transition|\.src|srcdoc|\.href|setattribute|location|history|\b(open|submit|click|reload|go)\s*\(/i,
  /\beval\b|\bfunction\s*\(\s*['"`]|constructor|atob|fromcharcode|\\[ux]/i,
]

/**
 * Whether everything that the page's scripts do is done when it has loaded, so that nothing is left to wait for. Only
 * the page itself suffers if the answer is wrong: it is drawn before it is complete.
 */
export function isDoneOnceLoaded({ html, assets }: HtmlSource): boolean {
  if (html === undefined || assets.length > 0 || LIVE_ELEMENTS.test(html) || hasExternalResources(html)) return false
  return !LATER_WORK.some(pattern => pattern.test(html))
}
