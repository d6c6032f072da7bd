import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Problem } from '#kit'
import type { TextPage } from '../../../tasks/formats/pdf/text-layout.ts'
import type { HostContext } from '../../host-context.ts'
import { addInputFile, checkOutputFile } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'
import { extractInlineImages, listImages } from './images.ts'
import { isUnreadable, runReader } from './run-reader.ts'
import { parseTextBoxes } from './text-boxes.ts'

// Decision 0020: read PDF pages with Poppler programs.

interface PageSpan {
  first: number
  last: number
}

/** Poppler reads text, fonts and images of pages. It is GPL and therefore only run as separate programs. */
export function bind(context: HostContext) {
  return {
    /** Extracts the text of a span of pages, one string per page. The file must open without a password. */
    extractText: (path: string, options: PageSpan & { layout: 'reading' | 'physical' | 'raw' }) =>
      extractText(context, path, options),
    /** Lists the fonts of a document that opens without a password. */
    listFonts: (path: string) => listFonts(context, path),
    /** Reads the words of a span of pages with their boxes; on request without those that lie slantwise, as watermarks do. */
    readTextBoxes: (path: string, options: PageSpan & { skipsSlanted?: boolean }) =>
      readTextBoxes(context, path, options),
    /**
     * Reads a span of pages as the XML of `pdftohtml` (pieces of text with position, font and links),
     * with its boxes and the document's structure as `pdfinfo` prints them.
     */
    readMarkup: (path: string, options: PageSpan) => readMarkup(context, path, options),
    /** Lists the images that pages draw, in drawing order. */
    listImages: (path: string, options: PageSpan) => listImages(context, path, options),
    /** Extracts inline images of one page, which are part of its content stream. */
    extractInlineImages: (path: string, options: { page: number; drawIndexes: readonly number[] }) =>
      extractInlineImages(context, path, options),
  }
}

export interface Font {
  name: string
  type: string
  embedded: boolean
  subset: boolean
}

const MAX_TEXT_BYTES = 64 * 2 ** 20
const LAYOUTS = { reading: [], physical: ['-layout'], raw: ['-raw'] }

async function extractText(
  context: HostContext,
  path: string,
  { layout, ...span }: PageSpan & { layout: keyof typeof LAYOUTS },
): Promise<string[]> {
  const text = await runPdfToText(context, path, `text-${layout}.txt`, [...LAYOUTS[layout], '-eol', 'unix'], span)
  const pages = text.split('\f')
  return Array.from({ length: span.last - span.first + 1 }, (_, index) => pages[index] ?? '')
}

async function readTextBoxes(
  context: HostContext,
  path: string,
  { first, last, skipsSlanted }: PageSpan & { skipsSlanted?: boolean },
): Promise<TextPage[]> {
  const name = await addInputFile(context, path)
  const args = ['-c', BOXES_SCRIPT, 'sh', `${first}`, `${last}`, name, ...(skipsSlanted ? ['-nodiag'] : [])]
  await run(context, 'sh', args, name, MAX_TEXT_BYTES)
  const files = ['boxes.xml', 'pages.txt'].map(async file =>
    readFile(await checkOutputFile(context, context.out(file), 'poppler'), 'utf8'),
  )
  const [xml, pages] = (await Promise.all(files)) as [string, string]
  return parseTextBoxes(xml, pages)
}

/** The boxes are those of the turned page, but the sizes of pages are not. */
const BOXES_SCRIPT =
  'first=$1 last=$2 file=$3; shift 3; ' +
  'pdftotext -bbox-layout -cropbox "$@" -enc UTF-8 -f "$first" -l "$last" "$file" ./boxes.xml || exit; ' +
  'pdfinfo -f "$first" -l "$last" "$file" > ./pages.txt; true'

async function runPdfToText(
  context: HostContext,
  path: string,
  to: string,
  options: readonly string[],
  { first, last }: PageSpan,
): Promise<string> {
  const name = await addInputFile(context, path)
  const args = [...options, '-enc', 'UTF-8', '-f', `${first}`, '-l', `${last}`, name, `./${to}`]
  await run(context, 'pdftotext', args, name, MAX_TEXT_BYTES)
  return readFile(await checkOutputFile(context, context.out(to), 'poppler'), 'utf8')
}

/** The boxes and the structure help to understand the text; a document without readable ones is read without them. */
const MARKUP_SCRIPT =
  'first=$1 last=$2 file=$3; shift 3; pdftohtml "$@" -f "$first" -l "$last" "$file" ./markup.xml || exit; ' +
  'pdfinfo -box -f "$first" -l "$last" "$file" > ./boxes.txt; ' +
  'timeout 5 pdfinfo -struct-text "$file" > ./structure.txt; true'
const MARKUP_OPTIONS = ['-xml', '-i', '-hidden', '-nodrm', '-q', '-zoom', '1', '-noroundcoord', '-fontfullname']

async function readMarkup(
  context: HostContext,
  path: string,
  { first, last }: PageSpan,
): Promise<{ xml: string; boxes: string; structure: string }> {
  const name = await addInputFile(context, path)
  const args = ['-c', MARKUP_SCRIPT, 'sh', `${first}`, `${last}`, name, ...MARKUP_OPTIONS, '-enc', 'UTF-8']
  await run(context, 'sh', args, name, MAX_TEXT_BYTES)
  const files = ['markup.xml', 'boxes.txt', 'structure.txt'].map(async file =>
    readFile(await checkOutputFile(context, context.out(file), 'poppler'), 'utf8'),
  )
  const [xml, boxes, structure] = (await Promise.all(files)) as [string, string, string]
  return { xml, boxes, structure }
}

const MAX_LIST_BYTES = 8 * 2 ** 20
const FONT_ROW =
  /^(.*?)\s+((?:CID )?(?:Type \d\w?|TrueType)(?: \(OT\))?|unknown)\s+\S+(?: \S+)*\s+(yes|no)\s+(yes|no)\s+(yes|no)\s/

/** The list has two header lines, then one per font: name, type, encoding, embedded, subset, unicode, object. */
async function listFonts(context: HostContext, path: string): Promise<Font[]> {
  const name = await addInputFile(context, path)
  const list = await run(context, 'pdffonts', [name], name, MAX_LIST_BYTES)
  const found = list
    .split('\n')
    .slice(2)
    .flatMap((line): Font[] => {
      const [, fullName = '', type, embedded, subset] = FONT_ROW.exec(line) ?? []
      if (!type) return []
      const isSubset = subset === 'yes'
      return [
        {
          name: isSubset ? fullName.replace(/^[A-Z]{6}\+/, '') : fullName,
          type,
          embedded: embedded === 'yes',
          subset: isSubset,
        },
      ]
    })
  return [...new Map(found.map(font => [JSON.stringify(font), font])).values()]
}

async function run(
  context: HostContext,
  program: string,
  args: readonly string[],
  name: string,
  outputLimitBytes: number,
): Promise<string> {
  const readOnly = [basename(name)]
  const { code, stdout, stderr } = await runReader(context, program, args, {
    readOnly,
    outputLimitBytes,
    stdoutLimitBytes: MAX_LIST_BYTES,
  })
  if (code === 0) return stdout
  if (isUnreadable({ code, stderr }))
    throw new Problem('PDF_PARSE_FAILED', { detail: stderr.trim().split('\n').at(-1)?.slice(0, 200) })
  throw new ToolCrashed(program, `exit code ${code} ${stderr.slice(0, 500)}`)
}
