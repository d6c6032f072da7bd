import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { findAcceptedType, requireAcceptedType } from '../../../tasks/formats/file-types/accept.ts'
import { recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'

test('takes text for the type that an operation accepts, unless the content contradicts it', async () => {
  const csv = await recogniseTypes(Buffer.from('a,b\n1,2\n'), true)
  expect(findAcceptedType(csv, ['text/csv'])).toBe('text/csv')
  expect(findAcceptedType(csv, ['image/*', 'text/*'])).toBe('text/plain')
  expect(findAcceptedType(csv, ['application/json'])).toBeUndefined()
  const json = await recogniseTypes(Buffer.from('{}'), true)
  expect(findAcceptedType(json, ['text/csv', 'application/json'])).toBe('application/json')
})

test('accepts types by their family and by a star', () => {
  expect(findAcceptedType(['image/png'], ['image/*'])).toBe('image/png')
  expect(findAcceptedType(['image/png'], ['*/*'])).toBe('image/png')
  expect(findAcceptedType(['image/png'], ['imag/*', 'image/jpeg'])).toBeUndefined()
})

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

test.each([
  [WORD, 'application/pdf', 'pdf.from-office'],
  [WORD, 'text/plain', 'doc.to-markdown'],
  [EXCEL, 'text/csv', 'data.from-xlsx'],
  ['image/heic', 'application/pdf', 'pdf.from-images'],
  ['application/pdf', 'image/*', 'pdf.render'],
  ['text/html', 'application/pdf', 'pdf.from-html'],
  ['video/mp4', 'audio/*', 'media.audio-extract'],
  ['application/zip', 'application/pdf', undefined],
])('of a %s where %s is taken, the refusal names %s', async (type, accepted, convertBy) => {
  const rule = { accept: [accepted], refuse: 'UNSUPPORTED_FORMAT' as const }
  const refuse = () => requireAcceptedType([type], 10, { rule, field: 'file' } as never)
  expect(refuse).toThrow(
    expect.objectContaining({
      hints: { detected: type, supported: [accepted], field: 'file', ...(convertBy && { convertBy }) },
    }),
  )
  const { entries } = await loadCatalog()
  if (convertBy) expect(entries.map(({ name }) => name)).toContain(convertBy)
})
