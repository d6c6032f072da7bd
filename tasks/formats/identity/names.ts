/** What ICAO 9303 writes for letters that the zone cannot have. */
const WRITTEN: Record<string, string> = {
  Ä: 'AE',
  Æ: 'AE',
  Å: 'AA',
  Ö: 'OE',
  Ø: 'OE',
  Ü: 'UE',
  ß: 'SS',
  ẞ: 'SS',
  Þ: 'TH',
  Đ: 'D',
  Ł: 'L',
}

/**
 * The name as it is written elsewhere on the document, if its letters were replaced in the machine readable zone, or if
 * fillers after it were read as a letter.
 */
export function findSpelling(name: string, words: readonly string[]): string {
  const plain = words.map(word => word.replace(/[.,;:]+$/, ''))
  const parts = name.split(' ').map(part => findPart(part, plain))
  return parts.join(' ')
}

function findPart(part: string, words: readonly string[]): string {
  if (words.includes(part)) return part
  const spelled = words.find(word => isSpelling(word, part))
  const shorter = /[KCES]$/.test(part) ? part.slice(0, -1) : undefined
  return spelled ?? (shorter !== undefined && words.some(word => word.toUpperCase() === shorter) ? shorter : part)
}

function isSpelling(word: string, part: string): boolean {
  const upper = word
    .replace(/[.,;:]+$/, '')
    .replaceAll('ß', 'ẞ')
    .toUpperCase()
  if (upper === part || /^\p{ASCII}*$/u.test(upper)) return false
  const written = [...upper].map(letter => WRITTEN[letter] ?? stripMarks(letter)).join('')
  return written === part || [...upper].map(stripMarks).join('') === part
}

function stripMarks(letter: string): string {
  return letter.normalize('NFD').replaceAll(/\p{M}/gu, '')
}
