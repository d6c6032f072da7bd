import type { Warning } from '#kit'

const MAX_NAMED_LINES = 5

/** Says which headers and footers were left out though they differ. */
export function describeLeftOut(leftOut: { a: readonly string[]; b: readonly string[] }): Warning[] {
  const named = (['a', 'b'] as const).flatMap(side =>
    leftOut[side].slice(0, MAX_NAMED_LINES).map(line => `${JSON.stringify(line.trim().slice(0, 200))} in ${side}`),
  )
  if (named.length === 0) return []
  const message = `Lines that repeat on pages differ and were not compared: ${named.join(', ')}. Set ignore.headersFooters to false to compare them.`
  return [{ code: 'HEADERS_DIFFER', message }]
}
