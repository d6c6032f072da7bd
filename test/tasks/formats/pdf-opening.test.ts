import { expect, test } from 'vitest'
import type { Facts, InputFile } from '#kit'
import { openPdf } from '../../../tasks/formats/pdf/opening.ts'

test.each<{ facts: Facts; path: string }>([
  { facts: { marks: ['outline', 'restricted'] }, path: 'given' },
  { facts: { marks: ['repaired'] }, path: 'rewritten' },
  { facts: { marks: ['odd'] }, path: 'rewritten' },
  { facts: { marks: [], encrypted: true }, path: 'rewritten' },
])('for a document with $facts, returns the file that is $path', async ({ facts, path }) => {
  const qpdf = { normalize: async () => ({ path: 'rewritten' }) }
  const file = { path: 'given', facts } as InputFile
  expect(await openPdf(file, { qpdf, password: undefined, to: 'to' })).toBe(path)
})
