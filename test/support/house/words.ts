import type { Repository } from './files.ts'
import { maskText } from './mask-text.ts'

/** Figurative words of earlier code, with the terms to use instead. */
const BANNED: readonly [words: string, instead: string][] = [
  ['floor floors', 'context'],
  ['room rooms', 'context or limits'],
  ['hands', 'deps'],
  ['door doors', 'handler, route or server'],
  ['house', 'repository'],
  ['crew', 'pool'],
  ['hire hired', 'spawn'],
  ['punish punished', 'killOverLimit'],
  ['dismissed', 'evict'],
  ['stranger strangers nobody somebody anybody whoever', 'payer, caller or anonymous'],
  ['told said say says', 'message, claims or output'],
  ['hear heard hears', 'receive or read'],
  ['presented', 'payload'],
  ['advert', 'extension'],
  ['welcome', 'open'],
  ['bench', 'workspace'],
  ['lay laid', 'prepare'],
  ['bury buried', 'reap'],
  ['mend mended', 'replace'],
  ['hurt', 'failed'],
  ['tidy tidied', 'vacuum or clean up'],
  ['ears', 'listener'],
  ['news', 'notification'],
  ['hurry hurried', 'run now'],
  ['glance', 'read the header'],
  ['picture pictures', 'image'],
  ['paper', 'page'],
  ['wish wishes manner', 'options'],
  ['guise', 'role'],
  ['deed deeds', 'action'],
  ['volley', 'burst'],
  ['mistake mistakes', 'error'],
  ['away', 'unavailable'],
  ['crowd', 'rate limit'],
  ['furnish furnished', 'prepare'],
  ['christen christened', 'name'],
  ['begun', 'started'],
  ['fat', 'large'],
  ['dice', 'random'],
]
export const BANNED_WORDS: ReadonlyMap<string, string> = new Map(
  BANNED.flatMap(([words, instead]) => words.split(' ').map(word => [word, instead] as const)),
)

/** Names that are banned although each of their words is common. */
const BANNED_NAMES: readonly [name: RegExp, instead: string][] = [
  [/^MOST_/, 'MAX_'],
  [/^toolsFor$/, 'bindTools'],
  [/^openPeople$/, 'openIdentityProviders'],
  [/^knowPaths$/, 'indexRoutes'],
  [/^letGo$/i, 'attemptReleased'],
]

/** Real terms that contain a banned word. */
const ALLOWED: readonly { word: RegExp; name?: RegExp; path?: RegExp }[] = [
  // The lowest price is a floor, on the wire too; a benchmark compares with a floor; a bench is a set of benchmarks.
  { word: /^floor$/, name: /^(PRICE_FLOOR|floorMicros|floor_micros)$/ },
  { word: /^(floor|bench)$/, path: /^(ops\/bench\/|test\/ops\/bench)/ },
  // Chromium calls the size of a printed page so.
  { word: /^paper$/, name: /^paper(Width|Height)$/ },
  // A field of pdf.from-office.
  { word: /^paper$/, path: /^(tasks\/pdf\/from-office|pools\/tools\/libreoffice\/|test\/tasks\/pdf\/from-office)/ },
  // The operating system has a user with this name.
  { word: /^nobody$/, path: /^ops\/embedded\// },
  // A part of an address, on the wire too.
  { word: /^house$/, name: /^(houseNumber|hasHouseNumber)$/ },
  // A field of the answer of pdf.redact.
  { word: /^pictures$/, path: /^(tasks\/pdf\/redact|pools\/tools\/libpdf\/redaction|test\/tasks\/pdf\/redact)/ },
]

/** Names that contain a banned word. A name is reported where it is declared, not where it is imported. */
export function findBannedIdentifiers(repository: Repository): string[] {
  return [...repository].flatMap(([path, text]) => {
    if (!/\.(ts|mjs|js)$/.test(path)) return []
    const names = listOwnNames(maskText(text))
    return [...names].flatMap(([name, line]) => {
      const instead = findInstead(name, path)
      return instead ? [`${path}:${line} ${name} is a banned name: use ${instead}`] : []
    })
  })
}

function findInstead(name: string, path: string): string | undefined {
  const word = splitName(name).find(part => BANNED_WORDS.has(part) && !isAllowed(part, name, path))
  return word ? BANNED_WORDS.get(word) : BANNED_NAMES.find(([pattern]) => pattern.test(name))?.[1]
}

function isAllowed(word: string, name: string, path: string): boolean {
  return ALLOWED.some(rule => rule.word.test(word) && (rule.name?.test(name) || rule.path?.test(path)))
}

/** `JobRoom`, `job_room`, `JOB_ROOM` and `#jobRoom` are all the words `job` and `room`. */
function splitName(name: string): string[] {
  const parts = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []
  return parts.map(part => part.toLowerCase())
}

const IMPORTED = /\bimport\b[\w$\s,*{}]*?\bfrom\b/g
const NAME = /(?<![.\w$])(?:\.{3})?#?[A-Za-z_$][\w$]*/g

/** Names with the line of their first use, without imported ones and those that follow a dot, such as `Math.floor`. */
function listOwnNames(code: string): Map<string, number> {
  const imported = new Set([...code.matchAll(IMPORTED)].flatMap(([clause]) => clause.match(/[\w$]+/g) ?? []))
  const names = new Map<string, number>()
  for (const { 0: token, index } of code.matchAll(NAME)) {
    const name = token.replace(/^\.{3}/, '')
    if (!imported.has(name) && !names.has(name)) names.set(name, lineOf(code, index))
  }
  return names
}

function lineOf(code: string, index: number): number {
  return code.slice(0, index).split('\n').length
}
