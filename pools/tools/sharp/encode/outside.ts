import { readFile } from 'node:fs/promises'
import type { Warning } from '#kit'
import type { ImageSource } from '../source.ts'

/** What is drawn of another file: a picture, a part, a font or a style. A link leads elsewhere and is not drawn. */
const DRAWN_FROM_ELSEWHERE =
  /<(?:\w+:)?(?:image|use|feImage)\s[^>]*?href\s*=\s*(?:"(?!data:|#)[^"]|'(?!data:|#)[^'])|url\(\s*["']?(?!data:|#)[^"')\s]|@import\s/i

const MESSAGE =
  'The drawing refers to other files, which are never fetched; what they hold is missing. Embed them as data: addresses.'

/** The renderer passes over what it may not fetch without a word. */
export async function warnOfOutside({ file, format }: ImageSource): Promise<Warning[]> {
  if (format !== 'svg') return []
  const svg = (await readFile(file)).toString('latin1')
  return DRAWN_FROM_ELSEWHERE.test(svg) ? [{ code: 'RESOURCE_MISSING', message: MESSAGE }] : []
}
