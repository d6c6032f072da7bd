import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes a PDF from its objects, numbered from 1; the first is the catalog. */
export function pdfOf(objects: readonly string[], trailer = ''): Buffer {
  let body = '%PDF-1.7\n'
  const places: number[] = []
  for (const [index, object] of objects.entries()) {
    places.push(body.length)
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
  }
  const rows = places.map(place => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer << /Size ${size} /Root 1 0 R ${trailer} >>\n`
  return Buffer.from(`${body}${table}startxref\n${body.length}\n%%EOF\n`, 'latin1')
}

/** A plain document; each page has its own width, 100, 101 and so on, so that it is known again. */
export function plainPdf(pages: number, { width = 100, page = '', tree = '', catalog = '' } = {}): Buffer {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] ${tree} >>`,
    ...Array.from(
      { length: pages },
      (_, index) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width + index} 200] ${page} >>`,
    ),
  ])
}

/** Runs qpdf over bytes, as an independent maker and reader of PDFs. `IN` and `OUT` stand for the files. */
export function qpdf(bytes: Uint8Array, args: readonly string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'coinop-qpdf-'))
  try {
    const input = join(folder, 'in.pdf')
    const output = join(folder, 'out')
    writeFileSync(input, bytes)
    const real = args.map(arg => (arg === 'IN' ? input : arg === 'OUT' ? output : arg))
    const stdout = execFileSync('qpdf', real, { maxBuffer: 64 * 2 ** 20, stdio: ['ignore', 'pipe', 'pipe'] })
    return args.includes('OUT') ? readFileSync(output) : stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface ReadOutline {
  title: string
  destpageposfrom1: number | null
  kids: ReadOutline[]
}

interface ReadPdf {
  pages: { object: string; pageposfrom1: number; label: object | null }[]
  outlines: ReadOutline[]
  attachments: Record<string, unknown>
  acroform: { fields: { fullname: string; value: unknown; fieldtype: string }[] }
  qpdf: [unknown, Record<string, { value?: Dict }>]
}

export type Dict = Record<string, unknown>

/** What qpdf reads in a document. */
export class PdfReader {
  readonly json: ReadPdf

  constructor(bytes: Uint8Array) {
    this.json = JSON.parse(qpdf(bytes, ['--json=2', 'IN']).toString()) as ReadPdf
  }

  get outline(): ReadOutline[] {
    return this.json.outlines
  }

  get attachments(): string[] {
    return Object.keys(this.json.attachments)
  }

  get fields(): ReadPdf['acroform']['fields'] {
    return this.json.acroform.fields
  }

  get catalog(): Dict {
    const trailer = this.json.qpdf[1].trailer!.value!
    return this.resolve(trailer['/Root']) as Dict
  }

  get info(): Dict {
    return this.resolve(this.json.qpdf[1].trailer!.value!['/Info']) as Dict
  }

  /** Pages in order, with what they inherit left out. */
  get pages(): Dict[] {
    return this.json.pages.map(({ object }) => this.resolve(object) as Dict)
  }

  get widths(): number[] {
    return this.pages.map(page => (page['/MediaBox'] as number[])[2]!)
  }

  /** From 1; 0 where the reference leads to no page. */
  placeOf(reference: unknown): number {
    return this.json.pages.findIndex(({ object }) => object === reference) + 1
  }

  resolve(value: unknown): unknown {
    if (typeof value !== 'string' || !/^\d+ \d+ R$/.test(value)) return value
    return this.json.qpdf[1][`obj:${value}`]?.value
  }
}

/** An object that is a stream; its dictionary may have more in its head. */
export function streamOf(content: string, head = ''): string {
  return `<< ${head} /Length ${content.length} >>\nstream\n${content}\nendstream`
}
