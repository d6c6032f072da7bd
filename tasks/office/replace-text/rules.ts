import type { Warning } from '#kit'

/** What is looked for, and what replaces it. */
export interface Rule {
  pattern: RegExp
  replacement: string
}

interface Match {
  start: number
  end: number
  rule: number
}

interface GivenRule {
  find: string
  replace: string
  matchCase: boolean
  wholeWord: boolean
}

export function createRule({ find, replace, matchCase, wholeWord }: GivenRule): Rule {
  // Office writes spaces that do not break where a caller sees plain ones.
  const plain = escapePattern(find).replaceAll(' ', '[ \\u00a0]')
  const pattern = wholeWord ? `(?<![\\p{L}\\p{N}_])${plain}(?![\\p{L}\\p{N}_])` : plain
  return { pattern: new RegExp(pattern, matchCase ? 'gu' : 'giu'), replacement: replace }
}

export function createPlaceholderRule(name: string, value: string | number): Rule {
  return { pattern: new RegExp(`\\{\\{\\s*${escapePattern(name)}\\s*\\}\\}`, 'gu'), replacement: String(value) }
}

/** Matches that do not overlap. Of those that do, the first in the text wins, and at one place the first rule. */
export function findMatches(text: string, rules: readonly Rule[]): Match[] {
  const all = rules.flatMap(({ pattern }, rule) =>
    Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => ({ start: index, end: index + length, rule })),
  )
  all.sort((one, other) => one.start - other.start || one.rule - other.rule)
  let last = 0
  return all.filter(({ start, end }) => {
    const isFree = start >= last
    if (isFree) last = end
    return isFree
  })
}

const PLACEHOLDER = /\{\{\s*([^{}]{1,100}?)\s*\}\}/g

export function listPlaceholders(text: string): string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!)
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

interface Found {
  rules: readonly { find: string; count: number }[]
  values: Readonly<Record<string, number>>
  unfilled: readonly string[]
}

export function listWarnings({ rules, values, unfilled }: Found, isMerge: boolean): Warning[] {
  const missing = rules.filter(({ count }) => count === 0).map(({ find }) => find)
  const unused = Object.keys(values).filter(name => values[name] === 0)
  const warn = (code: string, what: string, names: readonly string[]): Warning[] =>
    names.length === 0 ? [] : [{ code, message: `${what}: ${names.slice(0, 20).join(', ')}.` }]
  return [
    ...warn('TEXT_NOT_FOUND', 'The document has no', missing),
    ...warn('VALUE_UNUSED', 'The document has no placeholder for', unused),
    ...(isMerge ? warn('PLACEHOLDER_UNFILLED', 'No value is given for', unfilled) : []),
  ]
}
