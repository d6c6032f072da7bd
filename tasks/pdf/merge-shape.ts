import { type InputFile, type PdfMark, Problem, pagesOf } from '#kit'
import { opensPlainly } from './open-shape.ts'
import { pageCountOf } from './shape.ts'

export interface MergeInput {
  files: InputFile[]
  passwords?: (string | null)[]
  ranges?: (string | null)[]
  bookmarks: 'keep' | 'per-file' | 'none'
  titles?: string[]
  padToEven: boolean
}

const MOST_FILES = 100

/** One file's share of the joined document; `start` counts from 0, without blank pages. */
export interface MergePart {
  path: string
  pages: number[]
  start: number
  title?: string
}

/** Lists that run beside the files must not be longer than these: a value without a file is a mistake. */
export function checkLists({ files, ...lists }: MergeInput): void {
  for (const field of ['passwords', 'ranges', 'titles'] as const) {
    const length = lists[field]?.length ?? 0
    if (length > files.length) throw new Problem('INVALID_PARAM', { field, max: files.length, actual: length })
  }
}

function chosenPages({ files, ranges }: MergeInput): number[][] {
  return files.map((file, index) => {
    try {
      return pagesOf(ranges?.[index] ?? 'all', pageCountOf(file))
    } catch (error) {
      throw error instanceof Problem ? new Problem(error.code, { ...error.hints, index }) : error
    }
  })
}

/** The pages of the output, blank ones included. */
export function pagesIn(input: MergeInput): number {
  const actual = input.files.length
  if (actual > MOST_FILES) throw new Problem('TOO_MANY_INPUTS', { limit: MOST_FILES, actual })
  const blank = (pages: number) => (input.padToEven ? pages % 2 : 0)
  return chosenPages(input).reduce((sum, { length }) => sum + length + blank(length), 0)
}

export function partsOf(input: MergeInput, paths: readonly string[]): MergePart[] {
  let start = 0
  return chosenPages(input).map((pages, index) => {
    const part = { path: paths[index]!, pages, start, title: input.titles?.[index] || undefined }
    start += pages.length
    return part
  })
}

/** The paths to join from: a file that is encrypted or damaged is rewritten first. */
export function opened(
  { files, passwords }: MergeInput,
  clean: (file: InputFile, index: number, password: string | undefined) => Promise<string>,
): Promise<string[]> {
  return Promise.all(
    files.map(async (file, index) => {
      return opensPlainly(file) ? file.path : clean(file, index, passwords?.[index] ?? undefined)
    }),
  )
}

const LOST_IN_JOINING: readonly PdfMark[] = ['outline', 'links', 'layers', 'tags']

/** The join keeps all of the first file; of the others it loses what refers from page to page. */
export function needsStitching(input: MergeInput): boolean {
  const { files, ranges, bookmarks } = input
  if (bookmarks === 'per-file' || input.padToEven) return true
  const has = (file: InputFile, mark: PdfMark) => file.facts.marks?.includes(mark) ?? false
  if (files.some(file => has(file, 'signature'))) return true
  if (files.slice(1).some(file => LOST_IN_JOINING.some(mark => has(file, mark)))) return true
  const isCut = (ranges?.[0] ?? null) !== null
  return (isCut && has(files[0]!, 'tags')) || (has(files[0]!, 'outline') && (isCut || bookmarks === 'none'))
}
