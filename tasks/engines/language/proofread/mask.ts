/** What is not prose and never changed: its characters are replaced, so that places stay what they are. */
const PROTECTED: RegExp[] = [
  // Blocks and spans of code.
  /^(```|~~~)[^\n]*\n[\s\S]*?(?:^\1[ \t]*$|(?![\s\S]))/gm,
  /`[^`\n]*`/g,
  /(?<=\n[ \t]*\n|^)(?: {4}|\t)[^\n]*(?:\n(?: {4}|\t)[^\n]*)*/g,
  // Rows of tables.
  /^[ \t]*\|[^\n]*/gm,
  // Tags, entities and placeholders.
  /<\/?[a-zA-Z!][^<>\n]*>/g,
  /&(?:#\d+|#x[\da-f]+|\w+);/gi,
  /\{\{[^{}\n]*\}\}|\$\{[^{}\n]*\}|\{\w*\}|%(?:\d+\$)?[sdif@]|%\(\w+\)[sdif]|:[a-z_]+:/g,
  // Addresses, paths, versions.
  /\b(?:[a-z][a-z\d+.-]*:\/\/|www\.)[^\s<>"')\]]+/gi,
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  /(?:\.{0,2}\/|~\/|[A-Za-z]:\\)[\w./\\-]+/g,
  /\b[\w-]+(?:\.[a-z\d-]+)*\.(?:com|org|net|io|dev|eu|de|fr|uk|gov|edu|[jt]sx?|py|rb|go|rs|java|json|ya?ml|md|txt|html?|css|sh|sql|csv|xml|pdf|docx?|xlsx?|png|jpe?g|svg|zip|toml|lock)\b/gi,
  /\bv?\d+(?:\.\d+)+(?:-[\w.]+)?\b/g,
  // Identifiers, mentions and tags.
  /\b[a-z]+(?:[A-Z][a-z\d]*)+\b|\b[A-Z][a-z\d]+(?:[A-Z][a-z\d]*)+\b|\b\w*_\w*\b|\b\w+\([^()\n]{0,80}\)|\b\w+(?:::|->)\w+/g,
  /[@#][\p{L}\w-]+/gu,
  /(?<=\s|^)--?[a-z][\w-]*(?:=\S+)?/g,
]

const MASK = '\u{fffc}'

/** The text with everything that is no prose masked. */
export function maskProtected(text: string): string {
  return PROTECTED.reduce((masked, pattern) => masked.replace(pattern, found => found.replaceAll(/[^\n]/g, MASK)), text)
}

/** Where a text is no prose. */
export function findProtected(text: string): [start: number, end: number][] {
  return [...maskProtected(text).matchAll(new RegExp(`${MASK}+`, 'g'))].map(({ 0: found, index }) => [
    index,
    index + found.length,
  ])
}
