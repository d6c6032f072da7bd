import { isBlurhashValid } from 'blurhash'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
afterAll(() => pools[Symbol.asyncDispose]())

const draw = (body: Record<string, unknown> = {}) => runJob(pools, 'generate.placeholder', body)

test.each(['png', 'svg', 'webp', 'jpeg', 'avif'])('draws a %s of the size asked for', async format => {
  const { bytes, chargedMicros } = await draw({ width: 120, height: 45, format })
  const metadata = await sharp(bytes).metadata()
  expect([metadata.width, metadata.height, metadata.format]).toEqual([120, 45, format === 'avif' ? 'heif' : format])
  expect(chargedMicros).toBe(1000n)
})

test.each(['solid', 'gradient', 'checker', 'noise', 'blurhash'])(
  'draws the pattern %s alike each time',
  async pattern => {
    const body = { width: 64, height: 64, pattern, seed: 7, background: 'rgb(200 80 40)', format: 'svg' }
    const [first, second, other] = [await draw(body), await draw(body), await draw({ ...body, seed: 8 })]
    expect(first.bytes.equals(second.bytes)).toBe(true)
    expect(first.bytes.equals(other.bytes)).toBe(pattern === 'solid' || pattern === 'checker')
    expect(first.result.blurhash !== undefined).toBe(pattern === 'blurhash')
    if (pattern === 'blurhash') expect(isBlurhashValid(first.result.blurhash as string)).toEqual({ result: true })
  },
)

/** The pixels that are not of the background's colour. */
async function countInk(bytes: Buffer): Promise<number> {
  const { data } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true })
  return data.filter(value => Math.abs(value - data[0]!) > 16).length
}

test.each(['قريبا', '漢字', 'हिन्दी', 'ไทย', 'Ωμέγα', '{w} & {h} <b>'])('writes the text %s', async text => {
  const { bytes } = await draw({ width: 200, height: 80, text })
  expect(await countInk(bytes)).toBeGreaterThan(200)
})

test('writes no text, a silhouette, and a colour that can be seen', async () => {
  expect(await countInk((await draw({ width: 90, height: 90, text: '' })).bytes)).toBe(0)
  expect(await countInk((await draw({ width: 90, height: 90, avatar: true })).bytes)).toBeGreaterThan(1500)
  expect(await countInk((await draw({ background: '#111', text: 'a' })).bytes)).toBeGreaterThan(100)
  expect((await draw({ width: 1, height: 1 })).bytes.length).toBeGreaterThan(50)
})

test.each([
  [{ background: 'nocolour' }, 'COLOR_INVALID'],
  [{ avatar: true, text: 'a' }, 'CONFLICTING_OPTIONS'],
])('rejects %j', async (body, code) => {
  await expect(draw(body)).rejects.toMatchObject({ code })
})
