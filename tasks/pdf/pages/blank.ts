import { type InputFile, Problem } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import { pageCountOf } from '../schema.ts'

/** Drawn at once; each takes a third of a megabyte until it was looked at. */
const PAGES_PER_RUN = 50

interface Steps {
  find: Tools['pageSnapshots']['findBlank']
  progress(done: number, total: number, unit: string): void
}

/** Finds the blank pages, and refuses a document that has no others. */
export async function findBlankPages(
  path: string,
  { file, threshold }: { file: InputFile; threshold: number },
  { find, progress }: Steps,
): Promise<number[]> {
  const count = pageCountOf(file)
  const blank: number[] = []
  for (let first = 1; first <= count; first += PAGES_PER_RUN) {
    const last = Math.min(count, first + PAGES_PER_RUN - 1)
    blank.push(...(await find(path, { first, last, maxInkShare: threshold / 100 })))
    progress(last, count, 'pages')
  }
  if (blank.length === count) throw new Problem('NO_PAGES_LEFT', { pageCount: count, detail: 'all pages are blank' })
  return blank
}
