import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(() => pools[Symbol.asyncDispose]())

const draw = (body: Record<string, unknown>) => runJob(pools, 'generate.og-image', body)
const logo = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#ff0000' } })
  .png()
  .toBuffer()

async function countPixels(bytes: Buffer, isWanted: (r: number, g: number, b: number) => boolean): Promise<number> {
  const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  let count = 0
  for (let at = 0; at < data.length; at += 3) if (isWanted(data[at]!, data[at + 1]!, data[at + 2]!)) count++
  return count
}
const isRed = (r: number, g: number, b: number) => r > 240 && g < 15 && b < 15

test.skipIf(!hasBrowser).each(['article', 'product', 'quote', 'event', 'code', 'stat'])(
  'draws the template %s with its parts',
  async template => {
    const body = {
      template,
      title: 'العنوان 東京 🚀',
      subtitle: 'a < b',
      label: '&',
      author: 'Ada',
      width: 400,
      height: 210,
    }
    const plain = await draw(body)
    expect(await sharp(plain.bytes).metadata()).toMatchObject({ width: 400, height: 210, format: 'png' })
    expect(plain.chargedMicros).toBe(3000n)
    expect(await countPixels(plain.bytes, isRed)).toBeLessThan(60)
    const other = await draw({ ...body, logo, avatar: logo, colors: { bg: '#00ff00' } })
    expect(await countPixels(other.bytes, isRed)).toBeGreaterThan(150)
    expect(await countPixels(other.bytes, (r, g, b) => r === 0 && g === 255 && b === 0)).toBeGreaterThan(20_000)
  },
)

test.skipIf(!hasBrowser)('fits long titles, and looks otherwise with another theme, font and image', async () => {
  const title = 'Donaudampfschifffahrtsgesellschaft '.repeat(6).trim().slice(0, 200)
  const size = { width: 600, height: 315 }
  const long = await draw({ ...size, title, subtitle: title })
  const { data, info } = await sharp(long.bytes).greyscale().raw().toBuffer({ resolveWithObject: true })
  const edge = [...data.subarray(0, info.width * 8), ...data.subarray(info.width * (info.height - 8))]
  expect(edge.filter((value, index) => value < 128 && index % info.width > 20)).toEqual([])
  const variants = [
    {},
    { theme: 'dark' },
    { font: 'serif' },
    { image: logo },
    { format: 'jpeg' },
    { colors: { fg: '#808080' } },
  ]
  const drawn = []
  for (const variant of variants)
    drawn.push((await draw({ ...size, title: 'Title', ...variant })).bytes.toString('base64'))
  expect(new Set(drawn).size).toBe(variants.length)
})

test.each([
  [{ title: 'a', colors: { bg: 'nope' } }, 'COLOR_INVALID', { field: 'colors.bg' }],
  [{ title: 'a', logo: Buffer.from('no image') }, 'IMAGE_DECODE_FAILED', {}],
])('refuses %j', async (body, code, hints) => {
  await expect(draw(body)).rejects.toMatchObject({ code, hints })
})

test.skipIf(!hasBrowser)('draws a tree of elements with the images of the call', async () => {
  const box = (style: object, children?: unknown) => ({ type: 'div', props: { style, children } })
  const size = { template: 'custom', width: 400, height: 200 }
  const left = box({ width: 100, height: 200, background: '#ff0000' })
  const { bytes } = await draw({ ...size, custom: box({ background: '#00ff00' }, [left, 'a < b & c']) })
  expect(await countPixels(bytes, isRed)).toBe(100 * 200)
  expect(await countPixels(bytes, (r, g, b) => r === 0 && g === 255 && b === 0)).toBeGreaterThan(50_000)
  const image = { type: 'img', props: { src: 'logo', width: 50, height: 20 } }
  const pictured = await draw({ ...size, logo, custom: box({ alignItems: 'flex-start' }, image) })
  expect(await countPixels(pictured.bytes, isRed)).toBe(50 * 20)
})

test.each<[Record<string, unknown>, string]>([
  [{ template: 'custom' }, 'MISSING_FIELD'],
  [{ template: 'quote' }, 'MISSING_FIELD'],
  [{ template: 'quote', title: 'a', custom: { type: 'div' } }, 'CONFLICTING_OPTIONS'],
  [{ template: 'custom', title: 'a', custom: { type: 'div' } }, 'CONFLICTING_OPTIONS'],
  ...[
    { type: 'script', props: { children: 'alert(1)' } },
    { type: 'iframe' },
    { type: 'div', props: { onclick: 'alert(1)' } },
    { type: 'div', props: { style: 'color:red' } },
    { type: 'div', props: { style: { 'a"b': '1' } } },
    { type: 'img', props: { src: 'http://127.0.0.1/' } },
    { type: 'img', props: { src: 'avatar' } },
    { type: 'br', props: { children: 'a' } },
    Array.from({ length: 50 }).reduce((child: unknown) => ({ type: 'div', props: { children: child } }), 'a'),
  ].map((custom): [Record<string, unknown>, string] => [{ template: 'custom', custom }, 'INVALID_PARAM']),
])('refuses %j', async (body, code) => {
  await expect(draw(body)).rejects.toMatchObject({ code })
})
