import { readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { isUnreadable, readWith } from './document-reader.ts'

/** One drawing of a picture on a page. */
export interface DrawnPicture {
  page: number
  /** Among all that its page draws, masks included. */
  place: number
  /** A stencil lets the ink of the moment through. */
  kind: 'image' | 'stencil'
  width: number
  height: number
  /** As poppler calls it: gray, rgb, cmyk, lab, icc, index, sep, devn, or - for a stencil. */
  color: string
  bits: number
  /** Nothing where it stands in the drawing of the page itself. */
  object?: [number: number, generation: number]
  dpi: number
}

const MOST_LIST_BYTES = 8 * 2 ** 20
const ROW =
  /^ *(\d+) +\d+ +(\w+) +(\d+) +(\d+) +(\S+) +\d+ +(\d+) +\S+ +(?:yes|no) +(?:(\d+) +(\d+)|\[inline\]) +(\d+) +\d+ /

export async function pictures(
  room: HostRoom,
  path: string,
  { first, last }: { first: number; last: number },
): Promise<DrawnPicture[]> {
  const args = ['-list', '-f', `${first}`, '-l', `${last}`]
  const list = await run(room, path, args, MOST_LIST_BYTES)
  if (list.length >= MOST_LIST_BYTES) throw new Problem('OUTPUT_TOO_LARGE', { limitBytes: MOST_LIST_BYTES })
  const places = new Map<number, number>()
  return list.split('\n').flatMap((line): DrawnPicture[] => {
    const [row, page, kind, width, height, color, bits, number, generation, dpi] = ROW.exec(line) ?? []
    if (!row) return []
    const place = places.get(Number(page)) ?? 0
    places.set(Number(page), place + 1)
    if (kind !== 'image' && kind !== 'stencil') return []
    const object: DrawnPicture['object'] = number === undefined ? undefined : [Number(number), Number(generation)]
    const size = { width: Number(width), height: Number(height), bits: Number(bits), dpi: Number(dpi) }
    return [{ page: Number(page), place, kind, color: color!, object, ...size }]
  })
}

/** Poppler writes everything that the page draws; all but what is asked for goes again. */
export async function inlinePictures(
  room: HostRoom,
  path: string,
  { page, places }: { page: number; places: readonly number[] },
): Promise<string[]> {
  const prefix = `inline-${page}`
  await run(room, path, ['-png', '-f', `${page}`, '-l', `${page}`], MOST_LIST_BYTES, [`./${prefix}`])
  const made = (await readdir(room.folder)).filter(name => name.startsWith(`${prefix}-`))
  const wanted = places.map(place => `${prefix}-${String(place).padStart(3, '0')}.png`)
  if (!wanted.every(name => made.includes(name)))
    throw new Problem('PDF_PARSE_FAILED', { page, detail: 'a picture within the page cannot be drawn' })
  const others = made.filter(name => !wanted.includes(name))
  await Promise.all(others.map(name => rm(join(room.folder, name), { force: true })))
  return Promise.all(wanted.map(name => takeOut(room, room.out(name), 'pdfimages')))
}

async function run(
  room: HostRoom,
  path: string,
  how: readonly string[],
  stdoutLimitBytes: number,
  to: readonly string[] = [],
): Promise<string> {
  const name = await bringIn(room, path)
  const options = { readOnly: [basename(name)], stdoutLimitBytes }
  const { code, stdout, stderr } = await readWith(room, 'pdfimages', [...how, name, ...to], options)
  if (code === 0) return stdout
  if (isUnreadable({ code, stderr }))
    throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().split('\n').at(-1)?.slice(0, 200) })
  throw new ToolCrashed('pdfimages', `exit code ${code} ${stderr.slice(0, 500)}`)
}
