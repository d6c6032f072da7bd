import type { FormField } from './field.ts'

const MIN_LIKENESS = 0.6

/** The fields that fit the wanted keys, in their order; a key that nothing fits is missing. */
export function pickFields(fields: readonly FormField[], keys: readonly string[]) {
  const matches = keys.map(key => {
    const ranked = fields
      .map(field => ({ field, likeness: compareKeys(key, field.key) }))
      .sort((a, b) => b.likeness - a.likeness)
    const best = ranked[0]?.likeness ?? 0
    return { key, found: best >= MIN_LIKENESS ? ranked.filter(({ likeness }) => likeness === best) : [] }
  })
  return {
    fields: matches.flatMap(({ key, found }) => found.map(({ field }) => ({ ...field, wanted: key }))),
    missing: matches.filter(({ found }) => found.length === 0).map(({ key }) => key),
  }
}

/** 1 for the same words; else the share of pairs of letters that both have, or of words of the wanted key. */
function compareKeys(wanted: string, key: string): number {
  const [one, other] = [wanted, key].map(text =>
    text
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  ) as [string, string]
  if (one === other) return 1
  const words = one.split(' ')
  const held = new Set(other.split(' '))
  const share = words.filter(word => held.has(word)).length / words.length
  return Math.max(share * 0.95, comparePairs(one, other))
}

function comparePairs(one: string, other: string): number {
  const pairs = (text: string) =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2))
  const [first, second] = [pairs(one), pairs(other)]
  const left = [...second]
  const shared = first.filter(pair => {
    const at = left.indexOf(pair)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
  return (2 * shared.length) / Math.max(1, first.length + second.length)
}
