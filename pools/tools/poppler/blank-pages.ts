import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import { type GrayImage, isBlankPage } from '../../../tasks/formats/raster/blank.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { FONT_FILES } from './page-renderer.ts'
import { isUnreadable, runReader } from './run-reader.ts'

export interface PageSpan {
  first: number
  last: number
}

/** Enough to see the smallest print, and few enough to look at thousands of pages. */
const LONGER_SIDE_PIXELS = '700'
const MEMORY_MB = 3072

/** Finds the pages of a span that show nothing. A page that cannot be drawn whole is not taken for blank. */
export async function findBlankPages(
  context: HostContext,
  path: string,
  span: PageSpan,
  maxInkShare: number,
): Promise<number[]> {
  const name = await addInputFile(context, path)
  const { files, hasErrors } = await renderSpan(context, name, span)
  const blank: number[] = []
  for (const [page, file] of files) {
    if (isBlankPage(readGrayImage(await readFile(file)), maxInkShare)) blank.push(page)
    await rm(file)
  }
  if (!hasErrors) return blank
  const whole: number[] = []
  for (const page of blank) {
    const alone = await renderSpan(context, name, { first: page, last: page })
    if (!alone.hasErrors) whole.push(page)
    await Promise.all([...alone.files.values()].map(file => rm(file)))
  }
  return whole
}

async function renderSpan(context: HostContext, name: string, { first, last }: PageSpan) {
  const span = ['-f', `${first}`, '-l', `${last}`]
  const args = ['-gray', '-scale-to', LONGER_SIDE_PIXELS, '-cropbox', ...span, name, './blank']
  const options = { readOnly: [basename(name)], visible: FONT_FILES, memoryMb: MEMORY_MB }
  const { code, stderr } = await runReader(context, 'pdftoppm', args, options)
  if (isUnreadable({ code, stderr })) throw new Problem('PDF_PARSE_FAILED')
  if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  const files = new Map<number, string>()
  for (const file of (await readdir(context.folder)).sort()) {
    const number = /^blank-0*(\d+)\.pgm$/.exec(file)?.[1]
    if (number) files.set(Number(number), await checkOutputFile(context, join(context.folder, file), 'pdftoppm'))
  }
  if (files.size !== last - first + 1) throw new Problem('PDF_PARSE_FAILED', { detail: 'a page cannot be rendered' })
  return { files, hasErrors: /\bError\b/.test(stderr) }
}

/** Poppler writes a header of three lines, then one byte for each pixel. */
function readGrayImage(bytes: Buffer): GrayImage {
  const [header = '', width, height] = /^P5\s(\d+) (\d+)\s255\s/.exec(bytes.toString('latin1', 0, 64)) ?? []
  return { width: Number(width), height: Number(height), pixels: bytes.subarray(header.length) }
}
