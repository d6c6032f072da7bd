import { type InputFile, Problem } from '#kit'
import { openPdf } from '../../formats/pdf/opening.ts'
import type { TextPage } from '../../formats/pdf/text-layout.ts'
import type { Tools } from '../../kit/operation.ts'
import { selectPages } from '../schema.ts'

export interface DiffInput {
  a: InputFile
  b: InputFile
  pagesA: string
  pagesB: string
  passwordA?: string
  passwordB?: string
  mode: 'text' | 'visual' | 'both'
  flow: 'document' | 'page'
  ignore: { whitespace: boolean; case: boolean; headersFooters: boolean }
  dpi: number
  threshold: number
  report: 'none' | 'pdf'
}

/** One of the two documents: its pages that are compared, and their text. */
export interface Side {
  path: string
  numbers: number[]
  texts: TextPage[]
}

/** The pages of the longer selection are charged. */
export function countComparedPages(input: DiffInput): number {
  return Math.max(selectSidePages(input, 'a').length, selectSidePages(input, 'b').length)
}

function selectSidePages(input: DiffInput, side: 'a' | 'b'): number[] {
  const field = side === 'a' ? 'pagesA' : 'pagesB'
  try {
    return selectPages(input[side], input[field])
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, { field, ...error.hints }) : error
  }
}

export async function openSide(
  input: DiffInput,
  side: 'a' | 'b',
  { qpdf, poppler, out }: Pick<Tools, 'qpdf' | 'poppler'> & { out(name: string): string },
): Promise<Side> {
  const numbers = selectSidePages(input, side)
  const password = side === 'a' ? input.passwordA : input.passwordB
  const path = await openPdf(input[side], { qpdf, password, to: out(`opened-${side}.pdf`) })
  const span = { first: Math.min(...numbers), last: Math.max(...numbers) }
  const pages = await poppler.readTextBoxes(path, { ...span, skipsSlanted: input.ignore.headersFooters })
  return { path, numbers, texts: numbers.map(page => pages[page - span.first] ?? EMPTY_PAGE) }
}

const EMPTY_PAGE: TextPage = { width: 0, height: 0, lines: [] }
