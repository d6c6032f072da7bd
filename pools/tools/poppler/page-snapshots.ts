import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import { formatPageRanges } from '../../../tasks/formats/pdf/page-ranges.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { findBlankPages, type PageSpan } from './blank-pages.ts'
import { FONT_FILES } from './page-renderer.ts'
import { isUnreadable, runReader } from './run-reader.ts'

/** Renders pages as displayed, to look at them, to compare them or to replace them with images. */
export function bind(context: HostContext) {
  return {
    /** Returns the pages that look the same in both files. */
    findIdentical: (one: string, other: string, pages: readonly number[]) => findIdentical(context, one, other, pages),
    /** Returns the pages of a span that show nothing, or ink on no more than a share of their area. */
    findBlank: (path: string, { maxInkShare, ...span }: PageSpan & { maxInkShare: number }) =>
      findBlankPages(context, path, span, maxInkShare),
    /** Renders each page as PNG, without annotations and form fields. */
    render: (path: string, pages: readonly number[], { dpi, stem }: { dpi: number; stem: string }) =>
      renderSnapshots(context, path, { pages, prefix: stem, args: ['-png', '-hide-annotations', '-r', `${dpi}`] }),
  }
}

const COMPARE_DPI = '36'
const MEMORY_MB = 3072

async function findIdentical(
  context: HostContext,
  one: string,
  other: string,
  pages: readonly number[],
): Promise<number[]> {
  const args = ['-gray', '-r', COMPARE_DPI]
  const first = await renderSnapshots(context, one, { pages, prefix: 'one', args })
  const second = await renderSnapshots(context, other, { pages, prefix: 'other', args })
  const identical: number[] = []
  for (const page of pages) {
    const files = [first.get(page)!, second.get(page)!]
    const [a, b] = await Promise.all(files.map(file => readFile(file)))
    if (a!.equals(b!)) identical.push(page)
    await Promise.all(files.map(file => rm(file)))
  }
  return identical
}

interface SnapshotOptions {
  pages: readonly number[]
  prefix: string
  args: readonly string[]
}

async function renderSnapshots(
  context: HostContext,
  path: string,
  { pages, prefix, args }: SnapshotOptions,
): Promise<Map<number, string>> {
  const name = await addInputFile(context, path)
  for (const span of formatPageRanges([...pages].sort((a, b) => a - b)).split(',')) {
    const [first, last = first] = span.split('-') as [string, string?]
    const allArgs = [...args, '-cropbox', '-f', first, '-l', last, name, `./${prefix}`]
    const options = { readOnly: [basename(name)], visible: FONT_FILES, memoryMb: MEMORY_MB }
    const { code, stderr } = await runReader(context, 'pdftoppm', allArgs, options)
    if (isUnreadable({ code, stderr })) throw new Problem('PDF_PARSE_FAILED')
    if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  }
  const files = new Map<number, string>()
  for (const file of await readdir(context.folder)) {
    const number = new RegExp(`^${prefix}-0*(\\d+)\\.p[gn][mg]$`).exec(file)?.[1]
    if (number) files.set(Number(number), await checkOutputFile(context, join(context.folder, file), 'pdftoppm'))
  }
  if (pages.some(page => !files.has(page)))
    throw new Problem('PDF_PARSE_FAILED', { detail: 'a page cannot be rendered' })
  return files
}
