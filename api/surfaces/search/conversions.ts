import type { Entry } from '#kit'

export interface Conversions {
  /** Each pair of formats, such as `csv to json`, with the places of the calls that convert the one to the other. */
  pairs: ReadonlyMap<string, readonly number[]>
  formats: ReadonlySet<string>
}

/** The one name of each format, with what else callers call it. */
const OTHER_NAMES = {
  ...{ jpg: 'jpeg', tiff: 'tif', heic: 'heif', ico: 'favicon', image: 'picture photo pic img photograph' },
  ...{
    video: 'movie film clip',
    audio: 'sound music recording',
    mpg: 'mpeg',
    ogg: 'oga',
    vtt: 'webvtt',
    srt: 'subrip',
  },
  ...{ docx: 'word doc', pptx: 'powerpoint ppt slide presentation', xlsx: 'excel xls spreadsheet workbook' },
  ...{ markdown: 'md', text: 'txt plaintext', html: 'webpage htm', url: 'website', latex: 'tex', epub: 'ebook' },
  ...{ yaml: 'yml', ndjson: 'jsonl' },
}
const NAMES = new Map(
  Object.entries(OTHER_NAMES).flatMap(([name, others]) => others.split(' ').map(other => [other, name])),
)

const INTO = new Set(['to', 'into', 'as'])
const OUT_OF = new Set(['of', 'from'])
/** What is done to a file, and not made of it: `add an image to a PDF` converts nothing. The text of scans is not in them. */
const OTHER_WORK = new Set(
  (
    'add put insert attach append stamp embed compare apply link upload send sign overlay draw write paste place mix ' +
    'match remove strip delete scan scanned fill'
  ).split(' '),
)
/** `The images of a PDF` are in it. */
const CONTENTS = new Set(['image', 'text', 'audio'])
/** How far from `to` a format may stand: `excel sheet with formulas to csv`. */
const REACH = 4

/** The formats by which one is made of another in two calls. Those that keep most stand first. */
const BETWEEN = ['markdown', 'pdf', 'html', 'csv', 'json', 'xlsx', 'png', 'text']

/** The pairs of formats that calls convert. */
export function indexConversions(entries: readonly Entry[]): Conversions {
  const pairs = new Map<string, number[]>()
  for (const [index, { converts = [] }] of entries.entries()) {
    const own = converts.flatMap(({ from, to }) => joinPairs(from.split(' '), to.split(' ')))
    for (const pair of new Set(own)) pairs.set(pair, [...(pairs.get(pair) ?? []), index])
  }
  return { pairs, formats: new Set([...pairs.keys()].flatMap(pair => pair.split(' to '))) }
}

/** What a query wants to be converted, each as `heic to jpeg`, the likeliest first: `a heic photo to jpg`, `an mp3 of this video`. */
function listAsked({ formats }: Conversions, words: readonly string[]): string[] {
  if (words.some(word => OTHER_WORK.has(word))) return []
  const names = words.map(word => nameFormat(formats, word))
  return words.flatMap((word, at) => {
    const before = names.slice(Math.max(0, at - REACH), at).reverse()
    const after = names.slice(at + 1, at + 1 + REACH)
    if (INTO.has(word)) return joinPairs(before, after)
    if (!OUT_OF.has(word)) return []
    return joinPairs(
      after,
      before.filter(name => !CONTENTS.has(name)),
    )
  })
}

/** The calls that convert what a query wants to be converted. */
export function findConversions(conversions: Conversions, words: readonly string[]): readonly number[] {
  const found = listAsked(conversions, words).find(pair => conversions.pairs.has(pair) && !isSame(pair))
  return found === undefined ? [] : conversions.pairs.get(found)!
}

/** Two conversions, one after the other, that make what a query wants and no single call makes: PDF to Markdown to DOCX. */
export function findRoute({ pairs, formats }: Conversions, words: readonly string[]): [string, string] | undefined {
  for (const pair of listAsked({ pairs, formats }, words)) {
    const [from, to] = pair.split(' to ')
    if (!formats.has(from!) || !formats.has(to!) || isSame(pair)) continue
    const between = BETWEEN.find(format => pairs.has(`${from} to ${format}`) && pairs.has(`${format} to ${to}`))
    if (between) return [`${from} to ${between}`, `${between} to ${to}`]
  }
  return undefined
}

/** Two files of one format, as in `join a.csv to b.csv`. */
function isSame(pair: string): boolean {
  const [from, to] = pair.split(' to ')
  return from === to
}

/** One name for all that callers use for a format, also in the plural. */
function nameFormat(formats: ReadonlySet<string>, word: string): string {
  if (formats.has(word)) return word
  const one = word.replace(/s$/, '')
  return NAMES.get(word) ?? NAMES.get(one) ?? one
}

/** The formats that stand nearest come first. */
function joinPairs(froms: readonly string[], tos: readonly string[]): string[] {
  return froms.flatMap(from => tos.map(to => `${from} to ${to}`))
}
