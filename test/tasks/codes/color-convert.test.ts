import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const convert = (body: Record<string, unknown>) => runOperation('codes.color-convert', body)
const first = async (body: Record<string, unknown>) => ((await convert(body)).results as Record<string, unknown>[])[0]!

test('writes a colour in every notation', async () => {
  expect(await first({ color: '#ff8000' })).toEqual({
    input: '#ff8000',
    hex: '#ff8000',
    rgb: 'rgb(255 128 0)',
    hsl: 'hsl(30.118 100% 50%)',
    hwb: 'hwb(30.118 0% 0%)',
    lab: 'lab(67.817 45.488 74.841)',
    lch: 'lch(67.817 87.58 58.709)',
    oklab: expect.stringMatching(/^oklab\(0\.732 /),
    oklch: expect.stringMatching(/^oklch\(0\.732 0\.18\d* /),
    p3: expect.stringMatching(/^color\(display-p3 0\.9/),
    cmyk: 'cmyk(0% 49.804% 100% 0%)',
    hsv: 'hsv(30.118 100% 100%)',
    xyz: expect.stringMatching(/^color\(xyz/),
    named: 'darkorange',
    inGamut: true,
    mapped: false,
    luminance: 0.367,
    nearestName: 'darkorange',
    approximate: true,
  })
})

test.each([
  ['red', '#ff0000'],
  ['hsl(120deg 100% 25%)', '#008000'],
  ['cmyk(0% 100% 100% 0%)', '#ff0000'],
  ['oklch(0.628 0.2577 29.23)', '#ff0000'],
  ['#0f08', '#00ff0088'],
  ['rgba(0,0,255,.5)', '#0000ff80'],
  ['  White ', '#ffffff'],
])('reads %s', async (color, hex) => {
  expect((await first({ color, to: ['hex'] })).hex).toBe(hex)
})

test('maps colours into the gamut as requested', async () => {
  const color = 'color(display-p3 0 1 0)'
  const [css, clip, none, wide] = await Promise.all([
    first({ color, to: ['hex', 'rgb'] }),
    first({ color, to: ['hex'], gamutMap: 'clip' }),
    first({ color, to: ['rgb'], gamutMap: 'none' }),
    first({ color, to: ['hex'], gamut: 'display-p3' }),
  ])
  expect(css).toMatchObject({ inGamut: false, mapped: true })
  expect(clip.hex).toBe('#00ff00')
  expect(none).toMatchObject({ mapped: false, rgb: expect.stringContaining('-') })
  expect(wide).toMatchObject({ inGamut: true, mapped: false })
})

test('compares two colours', async () => {
  const { contrast, deltaE2000 } = await convert({ color: 'black', contrastWith: 'white' })
  expect(contrast).toEqual({ ratio: 21, aa: true, aaa: true, aaLarge: true })
  expect(deltaE2000).toBe(100)
})

test.each([
  ['complementary', 2],
  ['analogous', 3],
  ['triadic', 3],
  ['tetradic', 4],
  ['tints', 6],
  ['shades', 6],
  ['scale', 6],
])('creates a palette: %s', async (kind, count) => {
  const { palette } = (await convert({ color: '#336699', palette: { kind, steps: 6, to: 'gold' } })) as {
    palette?: string[]
  }
  expect(palette).toHaveLength(count)
  for (const color of palette!) expect(color).toMatch(/^#[0-9a-f]{6}$/)
  expect(new Set(palette).size).toBe(count)
  if (kind === 'scale') expect([palette![0], palette![5]]).toEqual(['#336699', '#ffd700'])
})

test('simulates colour blindness', async () => {
  expect((await first({ color: 'red', simulate: 'achromatopsia', to: ['hex'] })).hex).toMatch(/^#(..)\1\1$/)
  expect((await first({ color: 'red', simulate: 'protanopia', to: ['hex'] })).hex).not.toBe('#ff0000')
})

/** The values that other simulators have from the same matrices, on linear light. */
test.each([
  ['#f00', 'deuteranopia', '#a39000'],
  ['#f00', 'protanopia', '#6d5f00'],
  ['#f00', 'achromatopsia', '#7f7f7f'],
  ['#fff', 'tritanopia', '#ffffff'],
])('simulates how %s is seen with %s', async (color, simulate, hex) => {
  const seen = await first({ color, simulate, to: ['hex'] })
  expect(seen).toMatchObject({ inGamut: true, mapped: false })
  const bytes = (text: string) => [...Buffer.from(text.slice(1), 'hex')]
  for (const [index, byte] of bytes(seen.hex as string).entries())
    expect(Math.abs(byte - bytes(hex)[index]!)).toBeLessThanOrEqual(1)
})

test.each([
  ['rgb(none 10 10)', 'rgb(0 10 10)'],
  ['rgb(300, 0, 0)', 'rgb(255 0 0)'],
  ['rgb(-10 120% 0)', 'rgb(0 255 0)'],
  ['rgb(1 2 3 / none)', 'rgb(1 2 3 / 0)'],
  ['hsl(none 100% 50%)', 'rgb(255 0 0)'],
  ['lab(none 0 0)', 'rgb(0 0 0)'],
  ['color(srgb none 1 none)', 'rgb(0 255 0)'],
])('reads %s as CSS does', async (color, rgb) => {
  expect(await first({ color, to: ['rgb'] })).toMatchObject({ rgb, inGamut: true, mapped: false })
})

test.each([
  ['#80808080', '#fff', 1.8],
  ['#000000', '#0000', 21],
  ['#fff0', '#000', 1],
])('blends transparent colours for the contrast of %s on %s', async (color, contrastWith, ratio) => {
  const { contrast } = await convert({ color, contrastWith })
  expect((contrast as { ratio: number }).ratio).toBeCloseTo(ratio, 1)
})

test('answers for the other colours if one is invalid', async () => {
  const { results } = await convert({ colors: ['red', 'nope', 'blue'], to: ['hex'] })
  expect(results).toMatchObject([{ hex: '#ff0000' }, { input: 'nope', error: 'COLOR_INVALID' }, { hex: '#0000ff' }])
})

test.each([
  [{ color: 'nope' }, 'COLOR_INVALID'],
  [{ color: 'fade' }, 'COLOR_INVALID'],
  [{ color: 'bad' }, 'COLOR_INVALID'],
  [{ color: 'red', contrastWith: 'nope' }, 'COLOR_INVALID'],
  [{ color: 'red', palette: { kind: 'scale', to: 'nope' } }, 'COLOR_INVALID'],
  [{}, 'MISSING_FIELD'],
])('rejects %j', async (body, code) => {
  await expect(convert(body)).rejects.toMatchObject({ code })
})
