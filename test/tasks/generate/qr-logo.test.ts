import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { bind } from '../../../pools/tools/barcode-reader.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

const LOGO = 'tasks/samples/gradient.png'
const generate = (body: Record<string, unknown>) => runJob(pools, 'generate.qr-logo', { logo: LOGO, ...body })

async function readTexts(bytes: Uint8Array): Promise<string[]> {
  const { data, info } = await sharp(bytes)
    .flatten({ background: '#fff' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const found = await bind().read({ grey: data, width: info.width, height: info.height }, { max: 5, tryHarder: true })
  return found.map(({ text }) => text)
}

test.each([
  [{ format: 'png' }],
  [{ format: 'svg', moduleStyle: 'dots', eyeStyle: 'rounded', light: 'transparent' }],
  [{ format: 'webp', moduleStyle: 'rounded', eyeStyle: 'circle', logoShape: 'circle', logoPadding: 0 }],
  [{ gradient: { to: '#800', type: 'radial', angle: 0 }, logoShape: 'rounded', logoBackground: '#eef' }],
  [{ frame: { text: 'امسح الرمز', position: 'top' }, size: 333 }],
])('generates a code that another reader decodes: %j', async design => {
  const { bytes, result } = await generate({ text: 'Grüße 😀 123', size: 300, ...design })
  const { width, height } = await sharp(bytes).metadata()
  expect(result).toMatchObject({ ecc: 'H', verified: true, actualSize: width })
  expect(height! > width!).toBe('frame' in design)
  expect(await readTexts(bytes)).toEqual(['Grüße 😀 123'])
})

test('shows the logo in the middle', async () => {
  const { bytes, result } = await generate({ text: 'x', size: 210, logoScale: 0.25 })
  const middle = Math.round((result.actualSize as number) / 2)
  const { channels } = await sharp(bytes)
    .extract({ left: middle - 8, top: middle - 8, width: 16, height: 16 })
    .stats()
  expect(channels.slice(0, 3).some(({ mean }) => mean > 40 && mean < 220)).toBe(true)
})

test('makes a logo smaller that hides too much, and says so', async () => {
  const { bytes, result, warnings } = await generate({
    text: 'https://example.com/abc',
    logoScale: 0.3,
    logoPadding: 3,
  })
  expect(result.logoScale).toBeLessThan(0.3)
  expect(warnings).toContain('LOGO_REDUCED')
  expect(await readTexts(bytes)).toEqual(['https://example.com/abc'])
})

test.each([
  [{ text: 'a', dark: '#fff', light: '#000' }, 'QR_UNREADABLE'],
  [{ text: 'a', dark: '#eee' }, 'QR_UNREADABLE'],
  [{ text: 'x'.repeat(1500) }, 'QR_CAPACITY_EXCEEDED'],
  [{ text: 'x'.repeat(60), version: 1 }, 'QR_CAPACITY_EXCEEDED'],
  [{}, 'MISSING_FIELD'],
  [{ text: 'a', gradient: { to: 'none-such', type: 'linear', angle: 0 } }, 'COLOR_INVALID'],
  [{ text: 'a', logo: Buffer.from('\x89PNG\r\n\x1a\nbroken', 'latin1') }, 'IMAGE_DECODE_FAILED'],
])('rejects %j', async (body, code) => {
  await expect(generate(body)).rejects.toMatchObject({ code })
})

test('follows no reference out of a logo', async () => {
  const hostile = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><rect width="90" height="90" fill="#fff"/><image href="/usr/share/icons/none.png" width="9" height="9"/><image href="file:///etc/passwd" width="9" height="9"/></svg>`
  expect((await generate({ text: 'a', logo: Buffer.from(hostile) })).result.verified).toBe(true)
})
