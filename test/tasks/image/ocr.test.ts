import { readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { noise, plain } from '../../support/pictures.ts'
import { runJob, testPools } from '../../support/pools.ts'

let pools: Pools & AsyncDisposable
let hasReader = false
beforeAll(async () => {
  pools = await testPools()
  hasReader = (await pools.tools()).some(({ name, ok }) => name === 'tesseract' && ok)
})
afterAll(() => pools[Symbol.asyncDispose]())
const reads = (title: string, check: () => Promise<void>) =>
  test(title, async context => {
    if (!hasReader) context.skip()
    await check()
  })

/** Where a paragraph ends is a matter of opinion. */
async function read(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { result } = await runJob(pools, 'image.ocr', body)
  return { ...result, text: (result.text as string).replaceAll(/\n+/g, '\n') }
}

const SIGN = readFileSync('test/samples/sign.png')

interface Look {
  size?: number
  ink?: string
  paper?: string
  width?: number
  height?: number
}

/** Lines of text in a picture, the first at 40 from the left. */
function page(lines: readonly string[], look: Look = {}): Sharp {
  const { size = 32, ink = '#000', paper = '#fff', width = 900, height = 60 + lines.length * size * 2 } = look
  const texts = lines.map((line, at) => `<text x="40" y="${(at + 1) * size * 2}">${line}</text>`).join('')
  const style = `font-family="DejaVu Sans" font-size="${size}" fill="${ink}"`
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
        <rect width="100%" height="100%" fill="${paper}"/><g ${style}>${texts}</g></svg>`,
    ),
  )
}

const WORDS = ['The quick brown fox', 'jumps over the lazy dog', 'and runs away again']

reads('reads lines and words with their places', async () => {
  const file = await page(WORDS).png().toBuffer()
  const lines = await read({ file, detail: 'lines' })
  expect(lines).toMatchObject({ text: WORDS.join('\n'), rotation: 0, languages: ['eng'] })
  expect(lines.confidence).toBeGreaterThan(85)
  const [first] = lines.lines as { text: string; box: number[] }[]
  expect(first!.text).toBe(WORDS[0])
  const [left, top, right, bottom] = first!.box as [number, number, number, number]
  expect(Math.abs(left - 40)).toBeLessThan(6)
  expect([top > 20, bottom < 85, right > 300, right < 420]).toEqual([true, true, true, true])
  const words = await read({ file, detail: 'words' })
  expect((words.words as { text: string }[]).map(({ text }) => text)).toEqual(WORDS.join(' ').split(' '))
})

test.each([90, 180, 270])('turns what lies by %s degrees, and tells places as displayed', async degrees => {
  if (!hasReader) return
  const upright = page([...WORDS, ...WORDS], { width: 700 })
  const file = await sharp(await upright.png().toBuffer())
    .rotate(degrees)
    .png()
    .toBuffer()
  const { width = 0, height = 0 } = await sharp(file).metadata()
  const result = await read({ file, detail: 'lines' })
  expect(result.rotation).toBe(360 - degrees)
  expect(result.text).toBe([...WORDS, ...WORDS].join('\n'))
  const [left, top, right, bottom] = (result.lines as { box: number[] }[])[0]!.box as [number, number, number, number]
  const isAtStart = { 90: right > width - 90, 180: bottom > height - 90 && right > width - 60, 270: left < 90 }[degrees]
  expect([isAtStart, left >= 0, top >= 0, right <= width, bottom <= height]).toEqual([true, true, true, true, true])
})

reads('leaves it as it lies where that is asked for', async () => {
  const file = await sharp(await page(WORDS).png().toBuffer())
    .rotate(180)
    .png()
    .toBuffer()
  expect(await read({ file, autoRotate: false })).toMatchObject({ rotation: 0 })
})

reads('heeds the tag that says how a photograph was held', async () => {
  const turned = sharp(await page(WORDS).png().toBuffer()).rotate(270)
  const file = await turned.jpeg().withMetadata({ orientation: 6 }).toBuffer()
  expect(await read({ file })).toMatchObject({ text: WORDS.join('\n'), rotation: 0 })
})

reads('reads small light letters of a dark screenshot', async () => {
  const file = await page(WORDS, { size: 12, ink: '#ddd', paper: '#111', width: 300 }).png().toBuffer()
  const { text } = await read({ file, preset: 'screenshot' })
  expect(text).toBe(WORDS.join('\n'))
})

reads('reads pale letters of a photograph', async () => {
  const file = await page(WORDS, { ink: '#aaa', paper: '#ccc' }).jpeg().toBuffer()
  expect((await read({ file, preset: 'photo' })).text).toContain('quick brown')
})

reads('reads one line, one region, and no characters but those asked for', async () => {
  expect(await read({ file: SIGN, preset: 'single-line' })).toMatchObject({ text: 'MIND THE GAP' })
  const file = await page(WORDS).png().toBuffer()
  const region = { x: 0, y: 90, width: '100%', height: 60 }
  const part = await read({ file, region, detail: 'words' })
  expect(part.text).toBe(WORDS[1])
  const [, top] = (part.words as { box: number[] }[])[0]!.box
  expect(top).toBeGreaterThan(90)
  const digits = await read({ file: await page(['10 0l 5O']).png().toBuffer(), whitelist: '0123456789' })
  expect(digits.text).toMatch(/^[\d\s]+$/)
  await expect(read({ file, region: { x: 0, y: 0, width: 5000, height: 5 } })).rejects.toMatchObject({
    code: 'BAD_REGION',
  })
})

reads('reads several languages at once, by whichever name they are called', async () => {
  const file = await page(['Größe und Übermaß', 'Привет, мир']).png().toBuffer()
  const { text, languages } = await read({ file, languages: ['de-AT', 'rus'] })
  expect(languages).toEqual(['deu', 'rus'])
  expect(text).toMatch(/Größe und Übermaß\s+Привет, мир/)
  await expect(read({ file, languages: ['tlh'] })).rejects.toMatchObject({
    code: 'LANGUAGE_UNSUPPORTED',
    hints: { language: 'tlh', available: expect.arrayContaining(['eng', 'deu']) },
  })
})

reads('finds nothing on a blank page, and makes no fuss of noise', async () => {
  const blank = await read({ file: await plain(400, 300, '#ffffff').png().toBuffer(), detail: 'words' })
  expect(blank).toEqual({ text: '', confidence: 0, rotation: 0, languages: ['eng'], words: [] })
  expect(await read({ file: await noise(300, 200).png().toBuffer() })).toHaveProperty('text')
  expect(await read({ file: await plain(1, 1).png().toBuffer() })).toMatchObject({ text: '' })
})

test.each([
  { title: 'half a picture', file: (await page(WORDS).jpeg().toBuffer()).subarray(0, 5000) },
  { title: 'no picture', file: Buffer.from('hello') },
])('refuses $title', async ({ file }) => {
  if (!hasReader) return
  await expect(read({ file })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})
