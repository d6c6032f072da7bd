import sharp from 'sharp'
import { expect, test } from 'vitest'
import { bind } from '../../../pools/tools/barcode-reader.ts'
import { runOperation } from '../../support/operations/run.ts'

const generate = (body: Record<string, unknown>) => runOperation('codes.barcode', body)

async function readCodes(bytes: Uint8Array): Promise<{ format: string; text: string }[]> {
  const { data, info } = await sharp(bytes, { density: 144 })
    .flatten({ background: '#fff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return bind().read({ grey: data, width: info.width, height: info.height }, { max: 3, tryHarder: true })
}

test.each([
  ['code128', 'ABC-123', 'Code128'],
  ['code39', 'ABC', 'Code39'],
  ['code93', 'ABC123', 'Code93'],
  ['ean13', '400638133393', 'EAN13'],
  ['ean8', '9638507', 'EAN8'],
  ['upca', '036000291452', 'UPCA'],
  ['upce', '01234565', 'UPCE'],
  ['itf14', '1540014128876', 'ITF'],
  ['databar', '(01)24012345678905', 'DataBar'],
  ['gs1-128', '(01)09521234543213', 'Code128'],
  ['datamatrix', 'hello', 'DataMatrix'],
  ['pdf417', 'hello', 'PDF417'],
  ['azteccode', 'hello', 'Aztec'],
  ['qrcode', 'hello', 'QRCode'],
  ['Code 128', 'ABC-124', 'Code128'],
  ['EAN-13', '400638133393', 'EAN13'],
])('generates a %s that another reader decodes', async (type, text, format) => {
  for (const [kind, rotate] of [
    ['png', '0'],
    ['png', 90],
    ['svg', '0'],
  ] as const) {
    const { output } = await generate({ type, text, format: kind, rotate, padding: 5 })
    const [code] = await readCodes(output!.bytes!)
    expect(code?.format.startsWith(format)).toBe(true)
    expect(code!.text.replace(/[()\p{Cc}]/gu, '')).toContain(text.replace(/[()]/g, ''))
  }
})

test.each([
  'upce',
  'isbn',
  'codabar',
  'msi',
  'pharmacode',
  'postnet',
  'royalmail',
  'onecode',
  'micropdf417',
  'maxicode',
  'dotcode',
  'hanxin',
  'gs1datamatrix',
  'databar-exp',
])('generates a %s', async type => {
  const texts: Record<string, string> = {
    upce: '01234565',
    isbn: '978-1-56581-231-4',
    codabar: 'A1234B',
    pharmacode: '1234',
    postnet: '12345',
    royalmail: 'LE28HS9Z',
    onecode: '0123456709498765432101234567891',
    gs1datamatrix: '(01)09521234543213',
    'databar-exp': '(01)09521234543213',
  }
  const { output, widthPx } = await generate({ type, text: texts[type] ?? '1234567' })
  expect((await sharp(output!.bytes!).metadata()).width).toBe(widthPx)
})

test('measures in millimetres of the printed code', async () => {
  const { output, moduleWidthMm, heightPx } = await generate({
    type: 'code128',
    text: 'A',
    dpi: 600,
    scale: 6,
    height: 20,
    padding: 5,
    includeText: false,
  })
  expect(moduleWidthMm).toBe(0.254)
  expect(Math.abs((heightPx as number) - (30 * 600) / 25.4)).toBeLessThan(8)
  expect((await sharp(output!.bytes!).metadata()).density).toBe(600)
})

test('adds a check digit, verifies it, or requires it', async () => {
  expect(await generate({ type: 'ean13', text: '4006381333931' })).toMatchObject({ encodedText: '4006381333931' })
  await expect(generate({ type: 'ean13', text: '4006381333930' })).rejects.toMatchObject({
    code: 'BARCODE_CHECKSUM',
    hints: { expected: '1' },
  })
  await expect(generate({ type: 'upca', text: '03600029145', checkDigit: 'verify' })).rejects.toMatchObject({
    code: 'BARCODE_CHECKSUM',
    hints: { expected: '2' },
  })
  await expect(generate({ type: 'isbn', text: '978-1-56581-231-5' })).rejects.toMatchObject({
    code: 'BARCODE_CHECKSUM',
  })
})

test.each([
  [{ type: 'nosuch', text: 'a' }, 'SYMBOLOGY_UNKNOWN'],
  [{ type: 'constructor', text: 'a' }, 'SYMBOLOGY_UNKNOWN'],
  [{ type: 'ean13', text: 'abc' }, 'BARCODE_INVALID'],
  [{ type: 'code39', text: 'äöü' }, 'BARCODE_INVALID'],
  [{ type: 'pdf417', text: 'x'.repeat(3072) }, 'BARCODE_INVALID'],
  [{ type: 'gs1-128', text: '(99999)1' }, 'BARCODE_INVALID'],
  [{ type: 'code128', text: 'a', light: 'nocolour' }, 'COLOR_INVALID'],
])('rejects %j', async (body, code) => {
  await expect(generate(body)).rejects.toMatchObject({ code })
})

test.each([
  ['code39', 'ABC', 'ABCX'],
  ['codabar', 'A1234B', 'A12345B'],
  ['upce', '0123456', '01234565'],
  ['upca', '03600029145', '036000291452'],
])('tells what a reader reads from a %s of %s', async (type, text, encodedText) => {
  const isOptional = type === 'code39' || type === 'codabar'
  const answer = await generate({ type, text, padding: 5, ...(isOptional && { checkDigit: 'add' }) })
  expect(answer.encodedText).toBe(encodedText)
  expect((await readCodes(answer.output!.bytes!))[0]?.text).toBe(encodedText)
  expect(answer.warnings?.map(({ code }) => code) ?? []).toEqual(isOptional ? ['CHECK_CHARACTER_ADDED'] : [])
})

test.each([
  ['code39', 'ABC'],
  ['codabar', 'A1234B'],
  ['msi', '1234567'],
])('adds no check character to a %s unasked', async (type, text) => {
  for (const checkDigit of ['auto', 'none']) {
    const { encodedText, warnings } = await generate({ type, text, checkDigit })
    expect({ encodedText, warnings }).toEqual({ encodedText: text, warnings: undefined })
  }
})

test.each([
  ['Latin-1', 'Zürich ÀÿÆ ±½'],
  ['C1 controls and carets', 'a\u0085^é'],
  ['other scripts', 'Жук 日本 €'],
  ['pictures and carets', 'up ^ECI000003 ^ 🚚'],
])('writes a MaxiCode of %s that another reader reads', async (_, text) => {
  const { output, encodedText } = await generate({ type: 'maxicode', text, scale: 6, padding: 5 })
  expect(await readCodes(output!.bytes!)).toMatchObject([{ format: 'MaxiCode', text }])
  expect(encodedText).toBe(text)
})

test('names the halves of characters that no MaxiCode can hold', async () => {
  await expect(generate({ type: 'maxicode', text: 'a\ud83d' })).rejects.toMatchObject({
    code: 'BARCODE_INVALID',
    hints: { reason: expect.stringContaining('U+D83D') },
  })
})

test.each(['Zürich ÀÿÆ ±½', 'Ü', 'ÄÖÜäöüß 12345678 a'])(
  'writes a Code 128 of %s that another reader reads',
  async text => {
    for (const format of ['png', 'svg']) {
      const { output, encodedText } = await generate({ type: 'code128', text, format, padding: 5 })
      expect(await readCodes(output!.bytes!)).toMatchObject([{ format: 'Code128', text }])
      expect(encodedText).toBe(text)
    }
  },
)

test.each([
  ['a€Ж', '€, Ж'],
  ['a\ud83d', 'U+D83D'],
])('names the characters of %j that Code 128 lacks', async (text, named) => {
  await expect(generate({ type: 'code128', text })).rejects.toMatchObject({
    code: 'BARCODE_INVALID',
    hints: { reason: `Code 128 has only the characters of Latin-1, not ${named}` },
  })
})
