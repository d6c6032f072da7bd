import { renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { lendFiles, moveSpilledFiles, removeLentFiles } from '../../native/files.ts'
import { OFFICE, type Office } from './office.ts'

interface OfficeOptions {
  pdfa?: '1b' | '2b' | '3b'
  pdfua: boolean
  landscape?: boolean
  paper?: string
  sheets: 'visible' | 'all' | readonly string[]
  fit: 'none' | 'width' | 'page'
  notes: 'none' | 'only' | 'after'
  hiddenSlides: boolean
  comments: 'none' | 'margin'
  trackedChanges: 'final' | 'markup'
  updateIndexes: boolean
  formFields: boolean
  imageQuality: number
  maxImageDpi: number
  bookmarks: boolean
  /** A table of text, which gets no header with the name of its sheet. */
  isPlainTable?: boolean
}

interface OfficeRequest {
  /** The extension that fits the content; LibreOffice looks at it first. */
  extension: string
  filter?: string
  filterOptions?: string
  password?: string
  /** Reads what can still be read of a damaged file. */
  repairs?: boolean
  options: OfficeOptions
}

interface PrintedOffice {
  path: string
  kind: 'text' | 'sheet' | 'slides' | 'drawing'
  /** LibreOffice's name of the filter that read it. */
  filter: string
  fonts: { requested: string; installed: string }[]
  wasDamaged: boolean
  /** Whether it has formulas, which this installation leaves out. */
  formulasLost: boolean
}

type Answer =
  | ({ failure?: undefined } & Omit<PrintedOffice, 'path'>)
  | { failure: string; detail?: string; pages?: number; limit?: number; sheet?: string; available?: string[] }

/** Prints office documents to PDF with a warm LibreOffice that does one document at a time, without network or macros. */
export function bind(context: HostContext) {
  return {
    async print(source: { path: string } | { text: string }, request: OfficeRequest): Promise<PrintedOffice> {
      const path = 'path' in source ? source.path : context.out(`text-${++calls}`)
      if ('text' in source) await writeFile(path, source.text, { flag: 'wx' })
      return context.daemons.use(context, OFFICE, office => print(context, office, path, request))
    },
  }
}

let calls = 0

async function print(
  context: HostContext,
  office: Office,
  path: string,
  { extension, ...request }: OfficeRequest,
): Promise<PrintedOffice> {
  const id = ++calls
  const [lent] = await lendFiles([path], office, id)
  const input = `${lent}.${extension}`
  const output = `printed-${id}.pdf`
  renameSync(join(office.folder, lent!), join(office.folder, input))
  try {
    const answer = (await office.ask({ ...request, input, output })) as Answer
    if (answer.failure !== undefined) throw toProblem(answer)
    const { path: printed } = (await moveSpilledFiles({ spilled: output }, office.folder, context, 'libreoffice')) as {
      path: string
    }
    return { ...answer, path: printed }
  } finally {
    removeLentFiles(1, office.folder, id)
    for (const name of [input, output]) rmSync(join(office.folder, basename(name)), { force: true })
  }
}

function toProblem({ failure, detail, pages, limit, sheet, available }: Extract<Answer, { failure: string }>): Problem {
  if (failure === 'password-required') return new Problem('OFFICE_PASSWORD_REQUIRED')
  if (failure === 'password-incorrect') return new Problem('OFFICE_PASSWORD_INCORRECT')
  if (failure === 'too-many-pages') return new Problem('TOO_MANY_PAGES', { limit, actual: pages })
  if (failure === 'sheet-not-found') return new Problem('SHEET_NOT_FOUND', { sheet, available })
  const reason = failure === 'crashed' ? 'LibreOffice crashed on this document' : detail
  return new Problem('OFFICE_PARSE_FAILED', reason ? { detail: reason } : {})
}
