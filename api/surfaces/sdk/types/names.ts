/** `pdf.extract-text` is `PdfExtractText` as a type. */
export function typeNameOf(name: string): string {
  return joinWords(name.split(/[.\-_]/))
}

/** `BAD_RANGE` is the class `BadRangeError`. */
export function errorNameOf(code: string): string {
  const name = joinWords(code.toLowerCase().split('_'))
  return name.endsWith('Error') ? name : `${name}Error`
}

function joinWords(words: readonly string[]): string {
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
