import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile, grantRead, ownerOf } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { runReader } from './run-reader.ts'

export interface PageSize {
  page: number
  /** Pixels. */
  width: number
  height: number
}

export interface RenderOptions {
  /** The part of the page to render. */
  box: 'crop' | 'media'
  /** A transparent background instead of white. */
  isTransparent: boolean
  /** In shades of grey, as PGM. */
  isGray?: boolean
  /** How the names of the files start. */
  stem?: string
}

export function bind(context: HostContext) {
  return {
    /** Renders one page in gray, large enough to read barcodes on it. */
    renderGray: (path: string, page: number) => renderGray(context, path, page),
    /** Renders each page in its size: as PPM on white, as PNG with a transparent background. */
    render: (path: string, pages: readonly PageSize[], options: RenderOptions) =>
      renderPages(context, path, pages, options),
    /** Deletes rendered pages, which are large, after they have been encoded. */
    async discard(paths: readonly string[]) {
      await Promise.all(paths.map(path => rm(path)))
    },
  }
}

/** Enough pixels for the smallest barcodes in common print. */
const LONGER_SIDE_PIXELS = 3500
/** Enough for a colour page of 200 megapixels. */
const LIMITS = { memoryMb: 3072, outputLimitBytes: 1024 * 2 ** 20 }
/** Fontconfig needs these to find fonts that a document does not embed. */
export const FONT_FILES = ['/etc/fonts', '/var/cache/fontconfig'].filter(path => existsSync(path))

async function renderGray(context: HostContext, path: string, page: number): Promise<string> {
  const name = await addInputFile(context, path)
  const number = String(page)
  const args = [
    '-gray',
    '-f',
    number,
    '-l',
    number,
    '-singlefile',
    '-scale-to',
    String(LONGER_SIDE_PIXELS),
    name,
    './page',
  ]
  const readOnly = [basename(name)]
  const { code, stderr } = await runReader(context, 'pdftoppm', args, { readOnly, visible: FONT_FILES })
  if (/Wrong page range/i.test(stderr)) throw new Problem('BAD_RANGE', { field: 'page', segment: number })
  if (/Incorrect password/i.test(stderr)) throw new Problem('PDF_PASSWORD_REQUIRED')
  if (code === 1 || code === 3) throw new Problem('PDF_PARSE_FAILED')
  if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  return checkOutputFile(context, context.out('page.pgm'), 'pdftoppm')
}

/** Several pages of a job may be rendered at the same time. */
let scripts = 0

/** Poppler renders one size per run, so pages of different sizes need several runs, which share one sandbox. */
async function renderPages(
  context: HostContext,
  path: string,
  pages: readonly PageSize[],
  { box, isTransparent, isGray, stem = 'rendered' }: RenderOptions,
): Promise<string[]> {
  const name = await addInputFile(context, path)
  const program = isTransparent ? 'pdftocairo -png -transp' : 'pdftoppm -scale-dimension-before-rotation'
  const command = `${program} -q -singlefile ${box === 'crop' ? '-cropbox' : ''} ${isGray ? '-gray' : ''}`
  const lines = pages.map(({ page, width, height }) => {
    const size = `-scale-to-x ${width} -scale-to-y ${height}`
    return `${command} -f ${page} -l ${page} ${size} '${name}' './${stem}-${page}'`
  })
  const scriptName = `render-${++scripts}.sh`
  const script = join(context.folder, scriptName)
  await writeFile(script, ['set -e', ...lines].join('\n'), { flag: 'wx' })
  grantRead(ownerOf(context.folder), script)
  const limits = { ...LIMITS, readOnly: [basename(name)], visible: FONT_FILES }
  const { code, stderr } = await runReader(context, 'sh', [`./${scriptName}`], limits)
  if (code !== 0 && code < 128) throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().slice(-200) })
  if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  const extension = isTransparent ? 'png' : isGray ? 'pgm' : 'ppm'
  return Promise.all(
    pages.map(({ page }) => checkOutputFile(context, context.out(`${stem}-${page}.${extension}`), 'pdftoppm')),
  )
}
