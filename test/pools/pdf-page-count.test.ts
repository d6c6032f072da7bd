import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countSimplePages } from '../../pools/inspect/pdf-page-count.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { buildPdf, plainPdf, runQpdf } from '../support/pdf/document.ts'

async function countPages(bytes: Buffer): Promise<number | undefined> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'file')
  await writeFile(path, bytes)
  return countSimplePages(path, bytes.length)
}

test.each([1, 2, 100, 1999])('counts the %i pages of a plain document', async pages => {
  expect(await countPages(plainPdf(pages))).toBe(pages)
})

test('reads a tree of several levels as qpdf writes it', async () => {
  const classic = runQpdf(plainPdf(30), ['--object-streams=disable', 'IN', 'OUT'])
  expect(await countPages(classic)).toBe(30)
})

test('returns nothing if the count differs from the tree', async () => {
  const wrongCount = Buffer.from(plainPdf(10).toString('latin1').replace('/Count 10', '/Count 01'), 'latin1')
  expect(await countPages(wrongCount)).toBeUndefined()
})

const catalog = (extra: string) => plainPdf(2, { catalog: extra })

test.each([
  ['an outline', catalog('/Outlines 3 0 R')],
  ['names', catalog('/Names << >>')],
  ['a form', catalog('/AcroForm << >>')],
  ['layers', catalog('/OCProperties << >>')],
  ['an escaped name', catalog('/Out#6cines 3 0 R')],
  ['annotations', plainPdf(2, { page: '/Annots []' })],
  ['compressed objects', runQpdf(plainPdf(2), ['--object-streams=generate', 'IN', 'OUT'])],
  ['encryption', runQpdf(plainPdf(2), ['--encrypt', '', 'o', '256', '--', 'IN', 'OUT'])],
  [
    'an earlier version inside',
    Buffer.from(plainPdf(2).toString('latin1').replace('/Root 1 0 R', '/Root 1 0 R /Prev 9'), 'latin1'),
  ],
  ['junk before it', Buffer.concat([Buffer.from('junk'), plainPdf(2)])],
  ['its end missing', plainPdf(2).subarray(0, 200)],
  ['no bytes', Buffer.alloc(0)],
  [
    'a tree that runs in circles',
    buildPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
  ],
])('returns nothing for a document with %s', async (_, bytes) => {
  expect(await countPages(bytes)).toBeUndefined()
})
