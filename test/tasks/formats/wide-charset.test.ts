import { expect, test } from 'vitest'
import { decodeToUtf8 } from '../../../tasks/formats/tables/charset.ts'

test.each([
  ['utf-16le', 'имя,город\n1,Москва\n'],
  ['utf-16be', '名前,都市\n田中太郎,東京\n'],
])('reads %s without a mark in other scripts', (encoding, text) => {
  const wide = Buffer.from(text, 'utf16le')
  const { bytes, encoding: found } = decodeToUtf8(encoding === 'utf-16be' ? wide.swap16() : wide, 'auto', 'text/csv')
  expect([bytes.toString(), found]).toEqual([text, encoding])
})
