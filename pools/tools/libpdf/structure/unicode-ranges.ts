import { readFile } from 'node:fs/promises'
import { PDF, type PdfObject, type PdfRef, PdfStream } from '@libpdf/core'
import { walkDicts } from '../objects.ts'

/** A font has no more codes. */
const MAX_CODES = 65_536
/** A block of a CMap has no more lines. */
const MAX_LINES = 100
const [BEGIN, END] = ['beginbfrange', 'endbfrange']
const COUNT = /\d{1,5}\s{1,8}$/
const LINE = /^\s*<([0-9a-f\s]+)>\s*<([0-9a-f\s]+)>\s*(?:<([0-9a-f\s]*)>|\[([0-9a-f\s<>]*)\])/i

/**
 * Writes what the codes of fonts read as one by one: Ghostscript 10 keeps only the low byte of all but Latin letters that are
 * written as a range. Returns no bytes if there is no range.
 */
export async function expandUnicodeRanges([file]: string[]): Promise<{ bytes?: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const expanded = new Map<PdfObject, PdfRef | undefined>()
  for (const dict of walkDicts(pdf.getCatalog(), resolve)) {
    const stream = dict.get('ToUnicode', resolve)
    if (!(stream instanceof PdfStream)) continue
    if (!expanded.has(stream)) {
      const text = expandRanges(stream)
      expanded.set(
        stream,
        text === undefined ? undefined : pdf.register(PdfStream.fromDict({}, Buffer.from(text, 'latin1'))),
      )
    }
    const ref = expanded.get(stream)
    if (ref) dict.set('ToUnicode', ref)
  }
  return [...expanded.values()].some(Boolean) ? { bytes: await pdf.save() } : {}
}

/** The text of a CMap without ranges; undefined if it has none, or one that cannot be read. */
function expandRanges(stream: PdfStream): string | undefined {
  const blocks = Buffer.from(stream.getDecodedData()).toString('latin1').split(END)
  const last = blocks.pop()!
  if (blocks.length === 0) return undefined
  let codes = 0
  const expanded: string[] = []
  for (const block of blocks) {
    const start = block.lastIndexOf(BEGIN)
    const pairs = start < 0 ? undefined : readLines(block.slice(start + BEGIN.length), MAX_CODES - codes)
    if (!pairs) return undefined
    codes += pairs.length
    expanded.push(block.slice(0, start).replace(COUNT, ''), writePairs(pairs))
  }
  return expanded.join('') + last
}

type Pair = readonly [code: string, text: string]

function readLines(lines: string, limit: number): Pair[] | undefined {
  const pairs: Pair[] = []
  let rest = lines
  while (rest.trim() !== '') {
    const line = LINE.exec(rest)
    const read = line && readRange(line, limit - pairs.length)
    if (!read) return undefined
    pairs.push(...read)
    rest = rest.slice(line[0].length)
  }
  return pairs
}

function readRange([, from = '', to = '', first, list]: RegExpExecArray, limit: number): Pair[] | undefined {
  const [start, end] = [from, to].map(hex => Number.parseInt(strip(hex), 16)) as [number, number]
  const count = end - start + 1
  if (!(count >= 0 && count <= limit)) return undefined
  const texts = list?.match(/<[0-9a-f\s]*>/gi)?.map(text => strip(text.slice(1, -1)))
  const width = strip(from).length
  return Array.from({ length: texts ? Math.min(count, texts.length) : count }, (_, at) => {
    const code = (start + at).toString(16).padStart(width, '0')
    return [code, texts ? texts[at]! : addTo(strip(first ?? ''), at)] as const
  })
}

function strip(hex: string): string {
  return hex.replaceAll(/\s/g, '')
}

/** The last character of a text counts up. */
function addTo(text: string, step: number): string {
  const head = text.slice(0, -4)
  const last = text.slice(-4)
  return last === '' ? '' : head + (Number.parseInt(last, 16) + step).toString(16).padStart(last.length, '0')
}

function writePairs(pairs: readonly Pair[]): string {
  const blocks: string[] = []
  for (let at = 0; at < pairs.length; at += MAX_LINES) {
    const block = pairs.slice(at, at + MAX_LINES)
    const lines = block.map(([code, text]) => `<${code}> <${text}>`)
    blocks.push(`${block.length} beginbfchar\n${lines.join('\n')}\nendbfchar`)
  }
  return blocks.join('\n')
}
