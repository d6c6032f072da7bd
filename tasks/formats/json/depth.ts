const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The deepest nesting that a caller's JSON may have: far below what recursive code can walk. */
export const MAX_JSON_DEPTH = 200

/** Finds out whether JSON nests deeper, without recursion and in one pass, before recursive code sees the value. */
export function isNestedDeeper(json: Uint8Array, maxDepth = MAX_JSON_DEPTH): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (byte === QUOTE) at = findStringEnd(json, at)
    else if (byte === 0x7b || byte === 0x5b) depth++
    else if (byte === 0x7d || byte === 0x5d) depth--
    if (depth > maxDepth) return true
  }
  return false
}

/** Goes from quote to quote, so that long strings cost nothing. */
function findStringEnd(json: Uint8Array, start: number): number {
  let end = json.indexOf(QUOTE, start + 1)
  while (end > 0 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1)
  return end < 0 ? json.length : end
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let slashes = 0
  while (json[at - 1 - slashes] === BACKSLASH) slashes++
  return slashes % 2 === 1
}
