import { type InputFile, type PdfMark, Problem, resolvePageRange } from '#kit'
import { mixesLabels } from '../../formats/pdf/carry-over.ts'
import { isReadableAsIs, mayHoldOnlyPages } from '../../formats/pdf/opening.ts'
import { pageCountOf } from '../schema.ts'

export interface MergeInput {
  files: InputFile[]
  passwords?: (string | null)[]
  ranges?: (string | null)[]
  bookmarks: 'keep' | 'per-file' | 'none'
  titles?: string[]
  padToEven: boolean
}

const MAX_FILES = 100

/** The pages one file contributes; `start` is their position in the joined file, from 0, without blank pages. */
interface MergePart {
  path: string
  pages: number[]
  start: number
  title?: string
}

/** Rejects lists that are longer than the list of files, because a value without a file is a mistake. */
export function checkLists({ files, ...lists }: MergeInput): void {
  for (const field of ['passwords', 'ranges', 'titles'] as const) {
    const length = lists[field]?.length ?? 0
    if (length > files.length) throw new Problem('INVALID_PARAM', { field, max: files.length, actual: length })
  }
}

function selectPages({ files, ranges }: MergeInput): number[][] {
  return files.map((file, index) => {
    try {
      return resolvePageRange(ranges?.[index] ?? 'all', pageCountOf(file))
    } catch (error) {
      throw error instanceof Problem ? new Problem(error.code, { ...error.hints, index }) : error
    }
  })
}

/** Counts the pages of the output, blank pages included. */
export function countOutputPages(input: MergeInput): number {
  const actual = input.files.length
  if (actual > MAX_FILES) throw new Problem('TOO_MANY_INPUTS', { limit: MAX_FILES, actual })
  const countBlankPages = (pages: number) => (input.padToEven ? pages % 2 : 0)
  return selectPages(input).reduce((sum, { length }) => sum + length + countBlankPages(length), 0)
}

export function planParts(input: MergeInput, paths: readonly string[]): MergePart[] {
  let start = 0
  return selectPages(input).map((pages, index) => {
    const part = { path: paths[index]!, pages, start, title: input.titles?.[index] || undefined }
    start += pages.length
    return part
  })
}

/** Rewrites encrypted and damaged files, so that the join can read all of them. */
export function makeFilesReadable(
  { files, passwords }: MergeInput,
  rewrite: (file: InputFile, index: number, password: string | undefined) => Promise<string>,
): Promise<string[]> {
  return Promise.all(
    files.map(async (file, index) => {
      return isReadableAsIs(file) ? file.path : rewrite(file, index, passwords?.[index] ?? undefined)
    }),
  )
}

const LOST_IN_JOINING: readonly PdfMark[] = ['outline', 'links', 'layers', 'tags']

/** The join keeps the whole first file, but loses references between pages in the other files. */
export function needsStructureRestore(input: MergeInput): boolean {
  const { files, ranges, bookmarks } = input
  if (bookmarks === 'per-file' || input.padToEven || mixesLabels(files)) return true
  const hasMark = (file: InputFile, mark: PdfMark) => file.facts.marks?.includes(mark) ?? false
  if (files.some(file => hasMark(file, 'signature'))) return true
  if (files.slice(1).some(file => LOST_IN_JOINING.some(mark => hasMark(file, mark)))) return true
  const takesRange = (ranges?.[0] ?? null) !== null
  return (
    (takesRange && hasMark(files[0]!, 'tags')) ||
    (hasMark(files[0]!, 'outline') && (takesRange || bookmarks === 'none'))
  )
}

/** Whether the result may be the pages in their order and nothing else. A page that is taken twice needs copies. */
export function mayJoinOnlyPages(input: MergeInput, parts: readonly MergePart[]): boolean {
  if (needsStructureRestore(input) || !mayHoldOnlyPages(input.files)) return false
  return parts.every(({ pages }) => pages.length > 0 && new Set(pages).size === pages.length)
}
