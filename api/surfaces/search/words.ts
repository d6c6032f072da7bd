const STOP_WORDS = new Set(
  (
    'a all am an and any are as at be been by can could did do does each every for from get give given has have here ' +
    'how i if in into is it its just ' +
    'like make me my need of off on one only or our out please put several should single so some someone something that ' +
    'the their them then there these they this those to two ' +
    'up want was we were what when which who whose will with would you your'
  ).split(' '),
)

/** The words of a text that mean something. */
export function listWords(text: string): string[] {
  return splitWords(text).filter(word => !STOP_WORDS.has(word))
}

/** Each of them reduced to its stem: `Resizing photos` becomes `resiz`, `photo`. */
export function listStems(text: string): string[] {
  return listWords(text).map(stem)
}

/** Words within a sentence that begin with a capital alone, such as those of people and cities. */
export function listNames(text: string): string[] {
  return [...text.matchAll(/(?<=[\p{L}\p{N},] )\p{Lu}\p{Ll}+(?![\p{L}\p{N}])/gu)].flatMap(([name]) => splitWords(name))
}

const FILE_NAME = /[\p{L}\p{N}_][\p{L}\p{N}_-]*(?=\.[a-z][a-z0-9]{1,4}\b)/giu
const IN_PARENTHESES = /\(([^()]*)\)/g

/** Words that only name a file or stand in parentheses, such as `price list` of `the table in price-list.pdf`. */
export function listAsides(text: string): string[] {
  const rest = text.replaceAll(IN_PARENTHESES, ' ').replaceAll(FILE_NAME, ' ')
  return [...new Set(listWords(text)).difference(new Set(listWords(rest)))]
}

/** How somebody pays is not what they want done: `pay for a hash without an account` wants a hash. */
export function withoutPayment(query: string): string {
  return query.replace(
    /^\W*(?:how (?:can|do) i |i want to )?pay(?:ing)? for (?:an? |the )?(.+?) (?:without|with|by|in) .*$/i,
    '$1',
  )
}

/** Names such as `PowerPoint` are also kept whole, as others write them in lower case. */
export function splitWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/\b(e)-(book)/gi, '$1$2')
    .replaceAll(/\b[A-Z][a-z]+[A-Z][a-z]+\b/g, name => `${name} ${name.toLowerCase()}`)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(sha|md|utf|base|aes|crc)-(?=\d)/g, '$1')
    .replaceAll(/\{\{.*?\}\}/g, ' placeholder ')
    .replaceAll(/\bpdf\/(?=u?a\b)/g, 'pdf')
    .replaceAll(/\bnumber (?:(?:all|its|my|the) )?pages\b/g, 'page numbers')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length > 0)
}

const ENDINGS: readonly [ending: RegExp, replacement: string][] = [
  [/(?<=.{2})ies$/, 'y'],
  [/(?<=.{2}(?:s|x|z|ch|sh))es$/, ''],
  [/(?<=.{2}[^suai])s$/, ''],
  [/(?<=.{2}[aeiouy].*)(?:ing|ed)$|(?<=.{3})(?:ing)$/, ''],
  [/(?<=.{4})(?:ion|er|or)$/, ''],
  [/(?<=.{2})e$/, ''],
]

/**
 * The common part of a word's forms. It need not be a word: `convert`, `converts`, `converting` and `converter` match, and
 * so do `summarise` and `summarize`.
 */
export function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word
  const spelt = word.replace(/(?<=.{4})is(?=(?:e[drs]?|ing|ation)$)/, 'iz')
  const cut = ENDINGS.reduce((rest, [ending, replacement]) => rest.replace(ending, replacement), spelt)
  return cut.replace(/([bdfgklmnprt])\1$/, '$1')
}
