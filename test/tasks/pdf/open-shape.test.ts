import { expect, test } from 'vitest'
import type { Facts, InputFile } from '#kit'
import { opened } from '../../../tasks/pdf/open-shape.ts'

test.each<{ facts: Facts; path: string }>([
  { facts: { marks: ['outline', 'restricted'] }, path: 'given' },
  { facts: { marks: ['repaired'] }, path: 'rewritten' },
  { facts: { marks: ['odd'] }, path: 'rewritten' },
  { facts: { marks: [], encrypted: true }, path: 'rewritten' },
])('of a document with $facts every reader gets the one that is $path', async ({ facts, path }) => {
  const qpdf = { clean: async () => ({ path: 'rewritten' }) }
  const file = { path: 'given', facts } as InputFile
  expect(await opened(file, { qpdf, password: undefined, to: 'to' })).toBe(path)
})
