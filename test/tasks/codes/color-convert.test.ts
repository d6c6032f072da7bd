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

test('answers for the other colours if one is invalid', async () => {
  const { results } = await convert({ colors: ['red', 'nope', 'blue'], to: ['hex'] })
  expect(results).toMatchObject([{ hex: '#ff0000' }, { input: 'nope', error: 'COLOR_INVALID' }, { hex: '#0000ff' }])
})

test.each([
  [{ color: 'nope' }, 'COLOR_INVALID'],
  [{ color: 'red', contrastWith: 'nope' }, 'COLOR_INVALID'],
  [{ color: 'red', palette: { kind: 'scale', to: 'nope' } }, 'COLOR_INVALID'],
  [{}, 'MISSING_FIELD'],
])('rejects %j', async (body, code) => {
  await expect(convert(body)).rejects.toMatchObject({ code })
})
