import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, ownerOf, readableBy, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { readWith } from './document-reader.ts'

export interface DrawnPage {
  page: number
  /** Pixels. */
  width: number
  height: number
}

export interface Drawing {
  /** What of the paper is drawn. */
  box: 'crop' | 'media'
  /** Drawn on nothing instead of on white paper. */
  isTransparent: boolean
}

export function bind(room: HostRoom) {
  return {
    grey: (path: string, page: number) => grey(room, path, page),
    /** Draws pages, each in the pixels asked for: PPM on white, PNG on nothing. */
    draw: (path: string, pages: readonly DrawnPage[], how: Drawing) => draw(room, path, pages, how),
    /** Drawn pages are large, and of no use once they are encoded. */
    async forget(paths: readonly string[]) {
      await Promise.all(paths.map(path => rm(path)))
    },
  }
}

/** Pixels along the longer side: enough for the smallest codes people print. */
const SIDE = 3500
/** A page of 200 megapixels in colour, with what the renderer holds beside it. */
const LIMITS = { memoryMb: 3072, outputLimitBytes: 1024 * 2 ** 20 }
/** Fonts that a document does not bring along are found by these. */
const FONT_FILES = ['/etc/fonts', '/var/cache/fontconfig'].filter(path => existsSync(path))

/** One page of a PDF as a grey picture in a file. */
async function grey(room: HostRoom, path: string, page: number): Promise<string> {
  const name = await bringIn(room, path)
  const number = String(page)
  const args = ['-gray', '-f', number, '-l', number, '-singlefile', '-scale-to', String(SIDE), name, './page']
  const readOnly = [basename(name)]
  const { code, stderr } = await readWith(room, 'pdftoppm', args, { readOnly, visible: FONT_FILES })
  if (/Wrong page range/i.test(stderr)) throw new Problem('BAD_RANGE', { field: 'page', segment: number })
  if (/Incorrect password/i.test(stderr)) throw new Problem('PDF_PASSWORD_REQUIRED')
  if (code === 1 || code === 3) throw new Problem('PDF_PARSE_FAILED')
  if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  return takeOut(room, room.out('page.pgm'), 'pdftoppm')
}

/** A loop of one confined shell: pages differ in size, and the renderer takes one size a run. */
async function draw(
  room: HostRoom,
  path: string,
  pages: readonly DrawnPage[],
  { box, isTransparent }: Drawing,
): Promise<string[]> {
  const name = await bringIn(room, path)
  const program = isTransparent ? 'pdftocairo -png -transp' : 'pdftoppm -scale-dimension-before-rotation'
  const how = `${program} -q -singlefile ${box === 'crop' ? '-cropbox' : ''}`
  const lines = pages.map(({ page, width, height }) => {
    const size = `-scale-to-x ${width} -scale-to-y ${height}`
    return `${how} -f ${page} -l ${page} ${size} '${name}' './drawn-${page}'`
  })
  const script = join(room.folder, 'draw.sh')
  await rm(script, { force: true })
  await writeFile(script, ['set -e', ...lines].join('\n'), { flag: 'wx' })
  readableBy(ownerOf(room.folder), script)
  const limits = { ...LIMITS, readOnly: [basename(name)], visible: FONT_FILES }
  const { code, stderr } = await readWith(room, 'sh', ['./draw.sh'], limits)
  if (code !== 0 && code < 128) throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().slice(-200) })
  if (code !== 0) throw new ToolCrashed('pdftoppm', `exit code ${code} ${stderr.slice(0, 500)}`)
  const ending = isTransparent ? 'png' : 'ppm'
  return Promise.all(pages.map(({ page }) => takeOut(room, room.out(`drawn-${page}.${ending}`), 'pdftoppm')))
}
