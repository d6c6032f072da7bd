import { expect, test } from 'vitest'
import { readTypedZone } from '../../../tasks/products/idverify/zone.ts'
import { PASSPORT } from './passport.ts'

const NOW = new Date('2026-11-28')

test('a zone that was typed in small letters says the same', () => {
  const zone = PASSPORT.zone.join('\n').replace('MUSTER<<JANA', 'BECK<<KATRIN').replace('<<\n', '\n')
  const read = readTypedZone(zone, NOW)
  expect(read).toMatchObject({ number: PASSPORT.number, firstName: 'KATRIN', lastName: 'BECK', mrzValid: true })
  expect(readTypedZone(zone.toLowerCase(), NOW)).toEqual(read)
})
