import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { DrawnImage } from '../../../tasks/formats/pdf/document.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { isUnreadable, runReader } from './run-reader.ts'

// `pdfimages` ignores masks and palettes and cannot take a single image, so it only tells where images are, and each is
// rendered on a page of its own.

const MAX_LIST_BYTES = 8 * 2 ** 20
const IMAGE_ROW =
  /^ *(\d+) +\d+ +(\w+) +(\d+) +(\d+) +(\S+) +\d+ +(\d+) +\S+ +(?:yes|no) +(?:(\d+) +(\d+)|\[inline\]) +(\d+) +\d+ /

export async function listImages(
  context: HostContext,
  path: string,
  { first, last }: { first: number; last: number },
): Promise<DrawnImage[]> {
  const args = ['-list', '-f', `${first}`, '-l', `${last}`]
  const list = await run(context, path, args, MAX_LIST_BYTES)
  if (list.length >= MAX_LIST_BYTES) throw new Problem('OUTPUT_TOO_LARGE', { limitBytes: MAX_LIST_BYTES })
  const counts = new Map<number, number>()
  return list.split('\n').flatMap((line): DrawnImage[] => {
    const [row, page, kind, width, height, color, bits, number, generation, dpi] = IMAGE_ROW.exec(line) ?? []
    if (!row) return []
    const drawIndex = counts.get(Number(page)) ?? 0
    counts.set(Number(page), drawIndex + 1)
    if (kind !== 'image' && kind !== 'stencil') return []
    const object: DrawnImage['object'] = number === undefined ? undefined : [Number(number), Number(generation)]
    const size = { width: Number(width), height: Number(height), bits: Number(bits), dpi: Number(dpi) }
    return [{ page: Number(page), drawIndex, kind, color: color!, object, ...size }]
  })
}

/**
 * Poppler can only write all images of a page; those that were not requested are deleted. It writes none after an image
 * whose data it cannot read, and an empty file for one that PNG cannot hold: their places are empty.
 */
export async function extractInlineImages(
  context: HostContext,
  path: string,
  { page, drawIndexes }: { page: number; drawIndexes: readonly number[] },
): Promise<(string | undefined)[]> {
  const prefix = `inline-${page}`
  await run(context, path, ['-png', '-f', `${page}`, '-l', `${page}`], MAX_LIST_BYTES, [`./${prefix}`])
  const written = (await readdir(context.folder)).filter(name => name.startsWith(`${prefix}-`))
  const requested = drawIndexes.map(index => `${prefix}-${String(index).padStart(3, '0')}.png`)
  const unrequested = written.filter(name => !requested.includes(name))
  await Promise.all(unrequested.map(name => rm(join(context.folder, name), { force: true })))
  return Promise.all(
    requested.map(async name => {
      if (!written.includes(name) || (await stat(context.out(name))).size === 0) return undefined
      return await checkOutputFile(context, context.out(name), 'pdfimages')
    }),
  )
}

async function run(
  context: HostContext,
  path: string,
  options: readonly string[],
  stdoutLimitBytes: number,
  outputArgs: readonly string[] = [],
): Promise<string> {
  const name = await addInputFile(context, path)
  const limits = { readOnly: [basename(name)], stdoutLimitBytes }
  const { code, stdout, stderr } = await runReader(context, 'pdfimages', [...options, name, ...outputArgs], limits)
  if (code === 0) return stdout
  if (isUnreadable({ code, stderr }))
    throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().split('\n').at(-1)?.slice(0, 200) })
  throw new ToolCrashed('pdfimages', `exit code ${code} ${stderr.slice(0, 500)}`)
}
