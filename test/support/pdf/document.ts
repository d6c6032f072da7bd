import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Builds a PDF from its objects, which are numbered from 1. The first is the catalog. */
export function buildPdf(objects: readonly string[], trailer = ''): Buffer {
  let body = '%PDF-1.7\n'
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(body.length)
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const rows = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer << /Size ${size} /Root 1 0 R ${trailer} >>\n`
  return Buffer.from(`${body}${table}startxref\n${body.length}\n%%EOF\n`, 'latin1')
}

/** A plain document. Its pages are 100, 101, 102 ... points wide, so that tests can tell them apart. */
export function plainPdf(pages: number, { width = 100, page = '', tree = '', catalog = '' } = {}): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  return buildPdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] ${tree} >>`,
    ...Array.from(
      { length: pages },
      (_, index) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width + index} 200] ${page} >>`,
    ),
  ])
}

/** Runs qpdf as an independent reader and writer of PDFs. `IN` and `OUT` stand for the files. */
export function runQpdf(bytes: Uint8Array, args: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-qpdf-'))
  try {
    const input = join(folder, 'in.pdf')
    const output = join(folder, 'out')
    writeFileSync(input, bytes)
    const actualArgs = args.map(arg => (arg === 'IN' ? input : arg === 'OUT' ? output : arg))
    const stdout = execFileSync('qpdf', actualArgs, { maxBuffer: 64 * 2 ** 20, stdio: ['ignore', 'pipe', 'pipe'] })
    return args.includes('OUT') ? readFileSync(output) : stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface OutlineNode {
  title: string
  destpageposfrom1: number | null
  kids: OutlineNode[]
}

interface QpdfJson {
  pages: { object: string; pageposfrom1: number; label: object | null }[]
  outlines: OutlineNode[]
  attachments: Record<string, unknown>
  acroform: { fields: { fullname: string; value: unknown; fieldtype: string }[] }
  qpdf: [unknown, Record<string, { value?: PdfDict }>]
}

export type PdfDict = Record<string, unknown>

/** Reads a document with qpdf. */
export class PdfReader {
  readonly json: QpdfJson

  constructor(bytes: Uint8Array) {
    this.json = JSON.parse(runQpdf(bytes, ['--json=2', 'IN']).toString()) as QpdfJson
  }

  get outline(): OutlineNode[] {
    return this.json.outlines
  }

  get attachments(): string[] {
    return Object.keys(this.json.attachments)
  }

  get fields(): QpdfJson['acroform']['fields'] {
    return this.json.acroform.fields
  }

  get catalog(): PdfDict {
    const trailer = this.json.qpdf[1].trailer!.value!
    return this.resolve(trailer['/Root']) as PdfDict
  }

  get info(): PdfDict {
    return this.resolve(this.json.qpdf[1].trailer!.value!['/Info']) as PdfDict
  }

  /** Pages in order, without inherited entries. */
  get pages(): PdfDict[] {
    return this.json.pages.map(({ object }) => this.resolve(object) as PdfDict)
  }

  get widths(): number[] {
    return this.pages.map(page => (page['/MediaBox'] as number[])[2]!)
  }

  /** Counts from 1; 0 if the reference is not a page. */
  pageNumberOf(reference: unknown): number {
    return this.json.pages.findIndex(({ object }) => object === reference) + 1
  }

  resolve(value: unknown): unknown {
    if (typeof value !== 'string' || !/^\d+ \d+ R$/.test(value)) return value
    return this.json.qpdf[1][`obj:${value}`]?.value
  }
}

/** A stream object; `entries` are added to its dictionary. */
export function pdfStream(content: string, entries = ''): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`
}
