import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { bringIn, takeOut } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'
import { isUnreadable, readWith } from './document-reader.ts'
import { type LaidPage, pagesWithBoxes } from './poppler-boxes.ts'
import { inlinePictures, pictures } from './poppler-pictures.ts'

export interface Span {
  first: number
  last: number
}

/** Poppler's programs read pages: text with and without places. They are GPL and stay programs of their own. */
export function bind(room: HostRoom) {
  return {
    /** The text of a span of pages, a string a page; the file must open without a password. */
    text: (path: string, options: Span & { layout: 'reading' | 'physical' | 'raw' }) => text(room, path, options),
    /** The fonts of a document that opens without a password. */
    fonts: (path: string) => fonts(room, path),
    /** The words of a span of pages with their boxes, in points from the top left corner. */
    boxes: (path: string, options: Span) => boxes(room, path, options),
    /** A span of pages as `pdftohtml -xml` describes it: pieces of text with place, font and links. */
    marked: (path: string, options: Span) => marked(room, path, options),
    /** The pictures that pages draw, in the order they are drawn. */
    pictures: (path: string, options: Span) => pictures(room, path, options),
    /** The pictures that stand in the drawing of one page itself, by their place among all that the page draws. */
    inlinePictures: (path: string, options: { page: number; places: readonly number[] }) =>
      inlinePictures(room, path, options),
  }
}

export interface Font {
  name: string
  type: string
  embedded: boolean
  subset: boolean
}

const MOST_TEXT_BYTES = 64 * 2 ** 20
const LAYOUTS = { reading: [], physical: ['-layout'], raw: ['-raw'] }

async function text(
  room: HostRoom,
  path: string,
  { layout, ...span }: Span & { layout: keyof typeof LAYOUTS },
): Promise<string[]> {
  const whole = await written(room, path, `text-${layout}.txt`, [...LAYOUTS[layout], '-eol', 'unix'], span)
  const pages = whole.split('\f')
  return Array.from({ length: span.last - span.first + 1 }, (_, index) => pages[index] ?? '')
}

async function boxes(room: HostRoom, path: string, span: Span): Promise<LaidPage[]> {
  return pagesWithBoxes(await written(room, path, 'boxes.xml', ['-bbox-layout', '-cropbox'], span))
}

async function written(
  room: HostRoom,
  path: string,
  to: string,
  how: readonly string[],
  { first, last }: Span,
): Promise<string> {
  const name = await bringIn(room, path)
  const args = [...how, '-enc', 'UTF-8', '-f', `${first}`, '-l', `${last}`, name, `./${to}`]
  await run(room, 'pdftotext', args, name, MOST_TEXT_BYTES)
  return readFile(await takeOut(room, room.out(to), 'poppler'), 'utf8')
}

async function marked(room: HostRoom, path: string, { first, last }: Span): Promise<string> {
  const name = await bringIn(room, path)
  const how = ['-xml', '-i', '-hidden', '-nodrm', '-q', '-zoom', '1', '-noroundcoord', '-fontfullname', '-enc', 'UTF-8']
  await run(room, 'pdftohtml', [...how, '-f', `${first}`, '-l', `${last}`, name, './marked.xml'], name, MOST_TEXT_BYTES)
  return readFile(await takeOut(room, room.out('marked.xml'), 'poppler'), 'utf8')
}

const MOST_LIST_BYTES = 8 * 2 ** 20
const FONT =
  /^(.*?)\s+((?:CID )?(?:Type \d\w?|TrueType)(?: \(OT\))?|unknown)\s+\S+(?: \S+)*\s+(yes|no)\s+(yes|no)\s+(yes|no)\s/

/** A line a font below a head of two: name, type, encoding, embedded, subset, unicode, object. */
async function fonts(room: HostRoom, path: string): Promise<Font[]> {
  const name = await bringIn(room, path)
  const list = await run(room, 'pdffonts', [name], name, MOST_LIST_BYTES)
  const found = list
    .split('\n')
    .slice(2)
    .flatMap((line): Font[] => {
      const [, full = '', type, embedded, subset] = FONT.exec(line) ?? []
      if (!type) return []
      const isSubset = subset === 'yes'
      return [
        {
          name: isSubset ? full.replace(/^[A-Z]{6}\+/, '') : full,
          type,
          embedded: embedded === 'yes',
          subset: isSubset,
        },
      ]
    })
  return [...new Map(found.map(font => [JSON.stringify(font), font])).values()]
}

async function run(
  room: HostRoom,
  program: string,
  args: readonly string[],
  name: string,
  outputLimitBytes: number,
): Promise<string> {
  const readOnly = [basename(name)]
  const { code, stdout, stderr } = await readWith(room, program, args, {
    readOnly,
    outputLimitBytes,
    stdoutLimitBytes: MOST_LIST_BYTES,
  })
  if (code === 0) return stdout
  if (isUnreadable({ code, stderr }))
    throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().split('\n').at(-1)?.slice(0, 200) })
  throw new ToolCrashed(program, `exit code ${code} ${stderr.slice(0, 500)}`)
}
