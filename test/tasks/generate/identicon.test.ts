import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

const draw = (body: Record<string, unknown>) =>
  runJob(pools, 'generate.identicon', { value: 'ada@example.com', ...body })

async function readPixel(bytes: Buffer, x: number, y: number): Promise<string> {
  const { data, info } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4).toString('hex')
}

test.each(['jdenticon', 'blocks', 'initials', 'rings', 'beam', 'blockie'])('draws %s alike each time', async style => {
  const body = { style, format: 'svg', size: 64 }
  const first = await draw(body)
  expect(first.result).toMatchObject({ style: `${style}@1`, size: 64 })
  expect((await draw({ ...body, style: `${style}@1` })).bytes.equals(first.bytes)).toBe(true)
  expect((await draw({ ...body, value: 'Bob' })).bytes.equals(first.bytes)).toBe(false)
})

test.each(['png', 'svg', 'webp'])('writes %s', async format => {
  const metadata = await sharp((await draw({ format, size: 48 })).bytes).metadata()
  expect([metadata.format, metadata.width, metadata.height]).toEqual([format, 48, 48])
})

test('draws an address of Ethereum as wallets do, whatever its case', async () => {
  const value = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
  const draws = await Promise.all(
    [value, value.toLowerCase()].map(value => draw({ value, style: 'blockie', size: 64, padding: 0 })),
  )
  expect(draws[0]!.bytes.equals(draws[1]!.bytes)).toBe(true)
  for (const y of [4, 28, 60]) {
    for (const x of [4, 12, 20, 28])
      expect(await readPixel(draws[0]!.bytes, x, y)).toBe(await readPixel(draws[0]!.bytes, 63 - x, y))
  }
})

test('keeps drawings that were published', async () => {
  const { bytes } = await draw({ value: 'a', style: 'blocks', format: 'svg', size: 16, padding: 0 })
  expect(bytes.toString()).toContain('M0 4h1v1h-1zM4 4h1v1h-1zM2 4h1v1h-1z" fill="#932eb8"')
})

test('chooses among the hues, and applies saturation, background and radius', async () => {
  const grey = await draw({ style: 'blocks', saturation: 0, format: 'svg' })
  expect(grey.bytes.toString()).toMatch(/fill="#(..)\1\1"/)
  const red = await draw({ style: 'blocks', hues: [0], format: 'svg' })
  expect(red.bytes.toString()).toMatch(/fill="#[b-f].2e2e"|fill="#b82e2e"/)
  const { bytes } = await draw({ background: '#0f0', radius: 0.5, size: 40 })
  expect([await readPixel(bytes, 0, 0), await readPixel(bytes, 20, 1)]).toEqual(['00000000', '00ff00ff'])
})

test.each([
  ['Ada Lovelace', 'AL'],
  ['Żółć', 'Ż'],
  ['ضياء الدين', 'ضا'],
  ['ada.king@example.com', 'AK'],
  ['...', '?'],
  ['<b> & "c"', 'BC'],
])('finds the initials of %s', async (value, initials) => {
  const { bytes } = await draw({ value, style: 'initials', format: 'svg' })
  expect(/<text[^>]*>([^<]*)<\/text>/.exec(bytes.toString())![1]).toBe(initials)
})

test.each([
  [{ style: 'blockie', hues: [1] }, 'CONFLICTING_OPTIONS'],
  [{ style: 'blockie', saturation: 1 }, 'CONFLICTING_OPTIONS'],
  [{ background: 'x-y' }, 'COLOR_INVALID'],
])('rejects %j', async (body, code) => {
  await expect(draw(body)).rejects.toMatchObject({ code })
})
