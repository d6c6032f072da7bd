import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/folder.ts'
import { type Dict, PdfReader, plainPdf, qpdf } from '../../support/pdf.ts'
import { runJob, testPools } from '../../support/pools.ts'
import { richPdf } from '../../support/rich-pdf.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await testPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const ADA = richPdf('Ada')
const BEN = richPdf('Ben', 500)

/** What each way of moving pages makes of documents that have everything, and the pages it should have. */
const WAYS: [how: string, make: () => Promise<Buffer>, pages: string[]][] = [
  ['split', () => part({ file: ADA, ranges: '2-3' }), ['Ada 2', 'Ada 3']],
  ['split into many', () => part({ file: ADA, every: 1 }, 3), ['Ada 4']],
  ['delete', () => arrange({ file: ADA, action: 'delete', pages: '1,4' }), ['Ada 2', 'Ada 3']],
  ['reorder', () => arrange({ file: ADA, action: 'reorder', order: [4, 1] }), ['Ada 4', 'Ada 1']],
  [
    'insert',
    () => arrange({ file: ADA, action: 'insert', insert: BEN, at: 2, insertPages: '3' }),
    ['Ada 1', 'Ben 3', 'Ada 2', 'Ada 3', 'Ada 4'],
  ],
  ['merge', () => merge({ files: [ADA, BEN], ranges: ['1-2', '4'] }), ['Ada 1', 'Ada 2', 'Ben 4']],
  ['merge after a plain one', () => merge({ files: [plainPdf(1), BEN] }), ['', 'Ben 1', 'Ben 2', 'Ben 3', 'Ben 4']],
]

async function part(body: Record<string, unknown>, index = 0): Promise<Buffer> {
  return (await runJob(pools, 'pdf.split', body)).files[index]!.bytes
}
const arrange = async (body: Record<string, unknown>) =>
  (await runJob(pools, 'pdf.pages', { insertPages: 'all', ...body })).bytes
const merge = async (body: Record<string, unknown>) => (await runJob(pools, 'pdf.merge', body)).bytes

/** Titles such as `Ada 2` come from two documents, in their order. */
const namesIn = (pages: string[]) => [...new Set(pages.filter(Boolean).map(page => page.split(' ')[0]!))]

describe.each(WAYS)('%s keeps', (_, make, pages) => {
  let pdf: PdfReader
  let bytes: Buffer
  beforeAll(async () => {
    bytes = await make()
    pdf = new PdfReader(bytes)
  })
  const own = pages.filter(Boolean)

  test('words where they were, and layers that are off', async () => {
    const texts = (await told('pdftotext', bytes)).split('\f').slice(0, -1)
    expect(texts.map(text => /^text (.*)$/m.exec(text)?.[1] ?? '')).toEqual(pages)
    expect(texts.join('')).not.toContain('hidden')
  })

  test('the tags of its pages and no others, and each page knows its own', () => {
    const root = pdf.resolve(pdf.catalog['/StructTreeRoot']) as Dict
    const elements = (root['/K'] as unknown[]).map(kid => pdf.resolve(kid) as Dict)
    expect(elements.map(element => element['/Alt']).sort()).toEqual(own.map(page => `u:${page}`).sort())
    const numbers = (pdf.resolve(root['/ParentTree']) as Dict)['/Nums'] as unknown[]
    const at = (key: unknown) => pdf.resolve(numbers[numbers.indexOf(key) + 1])
    for (const [index, page] of pages.entries()) {
      const dict = pdf.pages[index]!
      if (!page) expect(dict).not.toHaveProperty('/StructParents')
      if (!page) continue
      const [element] = (at(dict['/StructParents']) as unknown[]).map(item => pdf.resolve(item) as Dict)
      expect(element!['/Alt']).toBe(`u:${page}`)
      expect(pdf.placeOf(element!['/Pg'])).toBe(index + 1)
      const [note] = (pdf.resolve(dict['/Annots']) as unknown[]).map(item => pdf.resolve(item) as Dict)
      expect((at(note!['/StructParent']) as Dict)['/Alt']).toBe(`u:${page}`)
    }
    for (const name of namesIn(pages)) expect(pdf.resolve(root['/RoleMap'])).toHaveProperty(`/${name}`, '/P')
  })

  test('notes and fields on their pages', () => {
    const found = pdf.pages.map(page =>
      ((pdf.resolve(page['/Annots']) ?? []) as unknown[]).map(item => pdf.resolve(item) as Dict),
    )
    expect(found.map(([note]) => note?.['/Contents'])).toEqual(pages.map(page => (page ? `u:note ${page}` : undefined)))
    expect(pdf.fields.map(({ value }) => value).sort()).toEqual(own.map(page => `u:${page}`).sort())
    const isFieldOnPage = found.map(([, field]) => field?.['/V'])
    expect(isFieldOnPage).toEqual(pages.map(page => (page ? `u:${page}` : undefined)))
  })

  test('labels, layers and files', () => {
    for (const name of namesIn(pages)) expect(pdf.attachments).toContainEqual(expect.stringContaining(`${name}.txt`))
    const layers = pdf.resolve(pdf.catalog['/OCProperties']) as Dict
    const nameOf = (item: unknown) => (pdf.resolve(item) as Dict)['/Name']
    const groups = (layers['/OCGs'] as unknown[]).map(nameOf)
    const off = ((pdf.resolve(layers['/D']) as Dict)['/OFF'] as unknown[]).map(nameOf)
    for (const name of namesIn(pages))
      expect([groups, off]).toMatchObject([
        expect.arrayContaining([`u:${name} on`]),
        expect.arrayContaining([`u:${name} off`]),
      ])
  })

  test('nothing of the pages that went', () => {
    const plain = qpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).toString('latin1')
    const all = ['Ada', 'Ben'].flatMap(name => [1, 2, 3, 4].map(page => `${name} ${page}`))
    const left = all.filter(page => plain.includes(`(note ${page})`) || plain.includes(`(${page})`))
    expect(left).toEqual(own.toSorted())
    expect(qpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
  })
})

async function told(program: string, bytes: Uint8Array): Promise<string> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'in.pdf')
  await writeFile(path, bytes)
  return execFileSync(program, [path, '-']).toString()
}

test('labels follow their pages', async () => {
  const labels = async (bytes: Buffer) => new PdfReader(bytes).json.pages.map(({ label }) => label as Dict | null)
  expect(await labels(await part({ file: ADA, ranges: '2-3' }))).toMatchObject([
    { '/S': '/r', '/St': 2 },
    { '/P': 'u:Ada-', '/St': 1 },
  ])
  expect(await labels(await merge({ files: [plainPdf(1), BEN] }))).toMatchObject([
    { '/St': 1 },
    { '/S': '/r' },
    {},
    { '/P': 'u:Ben-' },
    {},
  ])
})
