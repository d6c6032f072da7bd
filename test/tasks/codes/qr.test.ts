import sharp from 'sharp'
import { expect, test } from 'vitest'
import { bind } from '../../../pools/tools/barcode-reader.ts'
import { formatPayload } from '../../../tasks/formats/qr/payload.ts'
import { loadOperation } from '../../../tasks/index.ts'
import { listSchemaErrors, runOperation } from '../../support/operations/run.ts'

const generate = (body: Record<string, unknown>) => runOperation('codes.qr', body)

/** The codes that a reader finds in the image after sharp has decoded it. */
async function readCodes(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes, { density: 144 })
    .flatten({ background: '#fff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return bind().read({ grey: data, width: info.width, height: info.height }, { max: 5, tryHarder: true })
}

const readTexts = async (bytes: Uint8Array) => (await readCodes(bytes)).map(({ text }) => text)

test.each(['png', 'svg', 'webp'])('generates a %s that another reader decodes', async format => {
  for (const size of [64, 333, 1024]) {
    const answer = await generate({ text: 'Grüße 😀 123', format, size, dark: '#036', light: 'rgb(250 250 240)' })
    const { width } = await sharp(answer.output!.bytes!).metadata()
    expect(width).toBe(answer.actualSize)
    expect(width! <= size).toBe(true)
    expect(await readTexts(answer.output!.bytes!)).toEqual(['Grüße 😀 123'])
  }
})

test.each([
  [{ r: 0, g: 51, b: 102, a: 255 }, { r: 255, g: 255, b: 255, a: 255 }, '#036', '#fff'],
  [{ r: 1, g: 2, b: 3, a: 255 }, { r: 0, g: 0, b: 0, a: 0 }, 'rgb(1 2 3)', 'transparent'],
])('has exactly its two colours %#', async (dark, light, darkText, lightText) => {
  for (const format of ['png', 'webp', 'svg']) {
    const { output } = await generate({ text: 'a', format, dark: darkText, light: lightText })
    const { data } = await sharp(output!.bytes!).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    const colors = new Set<string>()
    for (let at = 0; at < data.length; at += 4)
      colors.add(data[at + 3] === 0 ? '0,0,0,0' : data.subarray(at, at + 4).join())
    expect(colors).toEqual(new Set([Object.values(dark).join(), Object.values(light).join()]))
  }
})

test.each([
  ['micro', 'L', '12345', 'M1'],
  ['micro', 'M', 'hello', 'M3'],
  ['rmqr', 'M', 'hello world', 'R11x43'],
  ['qr', 'H', 'x'.repeat(100), '10'],
])('generates a %s code of level %s', async (variant, ecc, text, version) => {
  const answer = await generate({ text, variant, ecc })
  expect(answer).toMatchObject({ verified: true })
  if (variant === 'qr') expect(answer.version).toBe(version)
  expect(await readTexts(answer.output!.bytes!)).toEqual([text])
})

test.each([
  ['qr', ['L', 'M', 'Q', 'H'], [5, 14, 20, 60, 100]],
  ['micro', ['L', 'M', 'Q'], [1, 5, 8]],
  ['rmqr', ['M', 'H'], [1, 3, 5, 8, 40]],
])('states the level that a reader finds in a %s code', async (variant, levels, lengths) => {
  for (const ecc of levels)
    for (const length of lengths) {
      const answer = await generate({ text: 'x'.repeat(length), variant, ecc, verify: false })
      expect((await readCodes(answer.output!.bytes!)).map(({ ecLevel }) => ecLevel)).toEqual([answer.ecc])
    }
})

test('reports how much fits', async () => {
  await expect(generate({ text: 'x'.repeat(3000) })).rejects.toMatchObject({
    code: 'QR_CAPACITY_EXCEEDED',
    hints: { bytes: 3000, maxBytes: 2331 },
  })
  await expect(generate({ text: 'x'.repeat(20), version: 1, ecc: 'H' })).rejects.toMatchObject({
    hints: { maxBytes: 7 },
  })
  await expect(generate({ text: 'x'.repeat(17), version: 1, ecc: 'M' })).rejects.toMatchObject({
    hints: { suggestEcc: 'L' },
  })
  expect(await generate({ text: 'x'.repeat(2953), ecc: 'L', size: 1024 })).toMatchObject({
    version: '40',
    verified: true,
  })
})

test.each([
  [{ dark: '#fff', light: '#000' }, 'inverted'],
  [{ dark: '#fafafa' }, 'pale'],
  [{ dark: 'transparent' }, 'unseen'],
])('rejects colours that make the code unreadable: %j', async (colors, _) => {
  await expect(generate({ text: 'a', ...colors })).rejects.toMatchObject({ code: 'QR_UNREADABLE' })
  expect(await generate({ text: 'a', ...colors, verify: false })).toMatchObject({ verified: false })
})

test('warns about a thin margin and about transparency', async () => {
  const { warnings } = await generate({ text: 'a', margin: 1, light: 'transparent' })
  expect(warnings!.map(({ code }) => code)).toEqual(['QUIET_ZONE_SMALL', 'TRANSPARENT_LIGHT'])
})

test.each([
  [{ kind: 'wifi', ssid: 'a;b', password: 'c:"d\\' }, 'WIFI:T:WPA;S:a\\;b;P:c\\:\\"d\\\\;;'],
  [{ kind: 'wifi', ssid: 'x', security: 'nopass', hidden: true }, 'WIFI:T:nopass;S:x;H:true;;'],
  [{ kind: 'tel', tel: '+49 30/123' }, 'tel:+4930123'],
  [{ kind: 'sms', to: '+1', body: 'hi' }, 'SMSTO:+1:hi'],
  [{ kind: 'email', to: 'a@b.de', subject: 'x & y' }, 'mailto:a@b.de?subject=x%20%26%20y'],
  [{ kind: 'geo', lat: 1.5, lng: -2 }, 'geo:1.5,-2'],
  [{ kind: 'geo', lat: -1e-7, lng: 180 }, 'geo:-0.0000001,180'],
  [{ kind: 'geo', lat: 48.2081743, lng: 1.234e-9 }, 'geo:48.2081743,0.000000001234'],
  [
    { kind: 'event', summary: 'x', start: '2024-02-29T10:00:00+02:00', end: '2024-02-29T23:30-01:00' },
    'BEGIN:VEVENT\r\nSUMMARY:x\r\nDTSTART:20240229T080000Z\r\nDTEND:20240301T003000Z\r\nEND:VEVENT\r\n',
  ],
  [{ kind: 'mecard', name: 'A,B', tel: '1' }, 'MECARD:N:A\\,B;TEL:1;;'],
  [{ kind: 'vcard', name: 'A; B', org: 'C' }, 'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:A\\; B\r\nORG:C\r\nEND:VCARD\r\n'],
  [
    { kind: 'event', summary: 'x', start: '2026-01-02T03:04:05Z' },
    'BEGIN:VEVENT\r\nSUMMARY:x\r\nDTSTART:20260102T030405Z\r\nEND:VEVENT\r\n',
  ],
  [
    { kind: 'epc', name: 'A', iban: 'DE89 3704 0044 0532 0130 00', amount: 1.5, remittance: 'r' },
    'BCD\n002\n1\nSCT\n\nA\nDE89370400440532013000\nEUR1.50\n\n\nr',
  ],
  [
    { kind: 'otpauth', secret: 'abcd efgh', label: 'a@b', issuer: 'X' },
    'otpauth://totp/X:a%40b?secret=ABCDEFGH&issuer=X',
  ],
  [
    { kind: 'eip681', to: `0x${'a'.repeat(40)}`, amount: '5', chainId: 8453 },
    `ethereum:0x${'a'.repeat(40)}@8453?value=5`,
  ],
  [{ kind: 'url', url: 'https://x.org' }, 'https://x.org'],
] as const)('writes %j as scanners expect it', async (data, text) => {
  expect(formatPayload(data as never)).toBe(text)
})

test.each([
  [{}, 'MISSING_FIELD'],
  [{ text: 'a', data: { kind: 'tel', tel: '1' } }, 'CONFLICTING_OPTIONS'],
  [{ text: 'a', variant: 'micro', ecc: 'H' }, 'INVALID_PARAM'],
  [{ text: 'a', variant: 'rmqr', ecc: 'L' }, 'INVALID_PARAM'],
  [{ text: 'a', variant: 'micro', version: 2 }, 'CONFLICTING_OPTIONS'],
  [{ text: 'a', dark: 'nocolour' }, 'COLOR_INVALID'],
])('rejects %j', async (body, code) => {
  await expect(generate(body)).rejects.toMatchObject({ code })
})

test.each([
  [{ kind: 'epc', name: 'A', iban: 'DE89370400440532013001' }, 'data.iban'],
  [{ kind: 'event', summary: 'x', start: '2023-02-29T10:00:00+02:00' }, 'data.start'],
  [{ kind: 'event', summary: 'x', start: '2024-02-29', end: '2024-02-29T25:00:00+02:00' }, 'data.end'],
])('refuses the content %j', async (data, field) => {
  await expect(generate({ data })).rejects.toMatchObject({ code: 'INVALID_PARAM', hints: { field } })
})

test('tells what is wrong with content of the kind that was asked for', async () => {
  const { input } = await loadOperation('codes.qr')
  const listFaults = (data: object) => listSchemaErrors(input, { data })
  expect(listFaults({ kind: 'event', summary: 'x', start: '2024-02-29T10:00:00+02:00' })).toEqual([])
  expect(listFaults({ kind: 'event', summary: 'x', start: 'soon' })).toEqual([expect.stringContaining('/data/start')])
  expect(listFaults({ kind: 'none' })).toEqual([expect.stringContaining('kind')])
})

test('finds out without encoding that a text is far too long', async () => {
  const encoded: string[] = []
  const { run } = await loadOperation('codes.qr')
  const encodeMatrix = ({ text }: { text: string }) => void encoded.push(text)
  const input = { text: '\u00fc'.repeat(2 ** 20), ecc: 'M', variant: 'qr', dark: '#000', light: '#fff' }
  const color = {
    parse: async () => [
      { r: 0, g: 0, b: 0, a: 255 },
      { r: 255, g: 255, b: 255, a: 255 },
    ],
  }
  await expect(
    (run as (...args: unknown[]) => unknown)(input, { barcode: { encodeMatrix }, color }),
  ).rejects.toMatchObject({
    code: 'QR_CAPACITY_EXCEEDED',
    hints: { bytes: 2 ** 21, maxBytes: 2331 },
  })
  expect(encoded).toEqual([])
})

test.each([
  ['micro', 'L', 15],
  ['micro', 'Q', 9],
  ['rmqr', 'M', 150],
  ['rmqr', 'H', 74],
  ['qr', 'Q', 1663],
  ['qr', 'H', 1273],
])('states how much a %s code of level %s holds', async (variant, ecc, maxBytes) => {
  const make = (length: number) => generate({ text: 'x'.repeat(length), variant, ecc, size: 1024, verify: false })
  expect(await make(maxBytes)).toMatchObject({ ecc })
  await expect(make(maxBytes + 1)).rejects.toMatchObject({ hints: { maxBytes } })
})
