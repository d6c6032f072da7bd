import { expect, test } from 'vitest'
import { findAcceptedType } from '../../../tasks/formats/file-types/accept.ts'
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
