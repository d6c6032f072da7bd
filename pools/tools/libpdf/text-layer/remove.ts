import { readFile } from 'node:fs/promises'
import { PDF, PdfStream } from '@libpdf/core'
import { pageAt, readContent } from '../content/page-view.ts'
import { parseOperations } from '../content/stream.ts'
import type { Resolve } from '../objects.ts'

const INVISIBLE = 3
const SHOWING_OPERATORS = new Set(['Tj', 'TJ', "'", '"'])

/** Removes text that pages draw invisibly, as OCR leaves it. */
export async function removeTextLayer(
  [file]: string[],
  { pages }: { pages: readonly number[] },
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  for (const number of pages) {
    const page = pageAt(pdf, number)
    const content = readContent(page, resolve)
    const kept = dropInvisibleText(content)
    if (kept.length < content.length) page.dict.set('Contents', pdf.register(new PdfStream([], kept)))
  }
  return { bytes: await pdf.save({ incremental: true }) }
}

function dropInvisibleText(content: Buffer): Buffer {
  const parts: Buffer[] = []
  const saved: number[] = []
  let mode = 0
  let from = 0
  for (const { operator, operands, start, end } of parseOperations(content)) {
    if (operator === 'q') saved.push(mode)
    else if (operator === 'Q') mode = saved.pop() ?? mode
    else if (operator === 'Tr') mode = Number(operands[0])
    if (mode !== INVISIBLE || !SHOWING_OPERATORS.has(operator)) continue
    parts.push(content.subarray(from, start), Buffer.from(' '))
    from = end
  }
  return Buffer.concat([...parts, content.subarray(from)])
}
