import { readFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { createNoiseImage, createPlainImage } from '../../support/images/measure.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasTesseract = await hasTool(pools, 'tesseract')
afterAll(() => pools[Symbol.asyncDispose]())
const testWithTesseract = test.skipIf(!hasTesseract)

/** Merges empty lines, because Tesseract places paragraph breaks differently from version to version. */
async function recognize(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { result } = await runJob(pools, 'image.ocr', body)
  return { ...result, text: (result.text as string).replaceAll(/\n+/g, '\n') }
}

const SIGN = readFileSync('tasks/samples/sign.png')

interface TextStyle {
  size?: number
  textColor?: string
  background?: string
  width?: number
  height?: number
}

/** An image with lines of text that start 40 pixels from the left edge. */
function drawPage(lines: readonly string[], style: TextStyle = {}): Sharp {
  const { size = 32, textColor = '#000', background = '#fff', width = 900 } = style
  const { height = 60 + lines.length * size * 2 } = style
  const texts = lines.map((line, at) => `<text x="40" y="${(at + 1) * size * 2}">${line}</text>`).join('')
  const attributes = `font-family="DejaVu Sans" font-size="${size}" fill="${textColor}"`
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
        <rect width="100%" height="100%" fill="${background}"/><g ${attributes}>${texts}</g></svg>`,
    ),
  )
}

const WORDS = ['The quick brown fox', 'jumps over the lazy dog', 'and runs away again']

testWithTesseract('reads lines and words with their boxes', async () => {
  const file = await drawPage(WORDS).png().toBuffer()
  const lines = await recognize({ file, detail: 'lines' })
  expect(lines).toMatchObject({ text: WORDS.join('\n'), rotation: 0, languages: ['eng'] })
  expect(lines.confidence).toBeGreaterThan(85)
  const [first] = lines.lines as { text: string; box: number[] }[]
  expect(first!.text).toBe(WORDS[0])
  const [left, top, right, bottom] = first!.box as [number, number, number, number]
  expect(Math.abs(left - 40)).toBeLessThan(6)
  expect([top > 20, bottom < 85, right > 300, right < 420]).toEqual([true, true, true, true])
  const words = await recognize({ file, detail: 'words' })
  expect((words.words as { text: string }[]).map(({ text }) => text)).toEqual(WORDS.join(' ').split(' '))
})

testWithTesseract.each([90, 180, 270])(
  'rotates text turned by %s degrees and returns boxes as displayed',
  async degrees => {
    const upright = drawPage([...WORDS, ...WORDS], { width: 700 })
    const file = await sharp(await upright.png().toBuffer())
      .rotate(degrees)
      .png()
      .toBuffer()
    const { width = 0, height = 0 } = await sharp(file).metadata()
    const result = await recognize({ file, detail: 'lines' })
    expect(result.rotation).toBe(360 - degrees)
    expect(result.text).toBe([...WORDS, ...WORDS].join('\n'))
    const [left, top, right, bottom] = (result.lines as { box: number[] }[])[0]!.box as [number, number, number, number]
    const isAtStart = { 90: right > width - 90, 180: bottom > height - 90 && right > width - 60, 270: left < 90 }[
      degrees
    ]
    expect([isAtStart, left >= 0, top >= 0, right <= width, bottom <= height]).toEqual([true, true, true, true, true])
  },
)

const LETTER = [
  'The quick brown fox jumps over the lazy dog and runs',
  'away again. Payment of 1,250.00 is due on 14 March',
  'and goes to the office at 12 Station Road as before',
  'or by post before the end of that month to the bank',
]

testWithTesseract.each([-8, -4, 5, 8, 174])('levels text that lies askew by %s degrees', async degrees => {
  const file = await sharp(await drawPage(LETTER, { width: 1000 }).png().toBuffer())
    .rotate(degrees, { background: '#fff' })
    .png()
    .toBuffer()
  const { width = 0, height = 0 } = await sharp(file).metadata()
  const result = await recognize({ file, detail: 'words' })
  expect(result).toMatchObject({ text: LETTER.join('\n'), rotation: degrees === 174 ? 180 : 0 })
  const level = await recognize({ file: await drawPage(LETTER, { width: 1000 }).png().toBuffer(), detail: 'words' })
  const [x, y] = findMiddle(level, 'office')
  const angle = (degrees * Math.PI) / 180
  const [fromX, fromY] = [x - 500, y - (60 + LETTER.length * 64) / 2]
  const found = findMiddle(result, 'office')
  const [right, down] = [Math.cos(angle), Math.sin(angle)]
  expect(Math.abs(found[0] - (width / 2 + fromX * right - fromY * down))).toBeLessThan(12)
  expect(Math.abs(found[1] - (height / 2 + fromX * down + fromY * right))).toBeLessThan(12)
})

function findMiddle({ words }: Record<string, unknown>, word: string): [x: number, y: number] {
  const { box } = (words as { text: string; box: [number, number, number, number] }[]).find(
    ({ text }) => text === word,
  )!
  return [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
}

testWithTesseract('enlarges small letters to read them', async () => {
  const file = await sharp(await drawPage(LETTER, { width: 1000 }).png().toBuffer())
    .resize({ width: 270 })
    .png()
    .toBuffer()
  const result = await recognize({ file, detail: 'lines' })
  expect(result.text).toContain('The quick brown fox jumps over the lazy dog and runs')
  const boxes = (result.lines as { box: number[] }[]).map(({ box }) => box)
  expect(boxes).toHaveLength(LETTER.length)
  expect(Math.max(...boxes.map(([, , right]) => right!))).toBeLessThanOrEqual(270)
})

testWithTesseract('does not rotate when autoRotate is off', async () => {
  const file = await sharp(await drawPage(WORDS).png().toBuffer())
    .rotate(180)
    .png()
    .toBuffer()
  expect(await recognize({ file, autoRotate: false })).toMatchObject({ rotation: 0 })
})

testWithTesseract('applies the EXIF orientation of a photograph', async () => {
  const turned = sharp(await drawPage(WORDS).png().toBuffer()).rotate(270)
  const file = await turned.jpeg().withMetadata({ orientation: 6 }).toBuffer()
  expect(await recognize({ file })).toMatchObject({ text: WORDS.join('\n'), rotation: 0 })
})

testWithTesseract('reads small light text in a dark screenshot', async () => {
  const file = await drawPage(WORDS, { size: 12, textColor: '#ddd', background: '#111', width: 300 }).png().toBuffer()
  const { text } = await recognize({ file, preset: 'screenshot' })
  expect(text).toBe(WORDS.join('\n'))
})

testWithTesseract('reads low-contrast text in a photograph', async () => {
  const file = await drawPage(WORDS, { textColor: '#aaa', background: '#ccc' }).jpeg().toBuffer()
  expect((await recognize({ file, preset: 'photo' })).text).toContain('quick brown')
})

testWithTesseract('reads a single line, a region, and only whitelisted characters', async () => {
  expect(await recognize({ file: SIGN, preset: 'single-line' })).toMatchObject({ text: 'MIND THE GAP' })
  const file = await drawPage(WORDS).png().toBuffer()
  const region = { x: 0, y: 90, width: '100%', height: 60 }
  const part = await recognize({ file, region, detail: 'words' })
  expect(part.text).toBe(WORDS[1])
  const [, top] = (part.words as { box: number[] }[])[0]!.box
  expect(top).toBeGreaterThan(90)
  const digits = await recognize({ file: await drawPage(['10 0l 5O']).png().toBuffer(), whitelist: '0123456789' })
  expect(digits.text).toMatch(/^[\d\s]+$/)
  await expect(recognize({ file, region: { x: 0, y: 0, width: 5000, height: 5 } })).rejects.toMatchObject({
    code: 'BAD_REGION',
  })
})

testWithTesseract('reads several languages at once, under any of their codes', async () => {
  const file = await drawPage(['Größe und Übermaß', 'Привет, мир']).png().toBuffer()
  const { text, languages } = await recognize({ file, languages: ['de-AT', 'rus'] })
  expect(languages).toEqual(['deu', 'rus'])
  expect(text).toMatch(/Größe und Übermaß\s+Привет, мир/)
  await expect(recognize({ file, languages: ['tlh'] })).rejects.toMatchObject({
    code: 'LANGUAGE_UNSUPPORTED',
    hints: { language: 'tlh', available: expect.arrayContaining(['eng', 'deu']) },
  })
})

testWithTesseract('finds no text on a blank page and accepts noise', async () => {
  const blank = await recognize({ file: await createPlainImage(400, 300, '#ffffff').png().toBuffer(), detail: 'words' })
  expect(blank).toEqual({ text: '', confidence: 0, rotation: 0, languages: ['eng'], words: [] })
  expect(await recognize({ file: await createNoiseImage(300, 200).png().toBuffer() })).toHaveProperty('text')
  expect(await recognize({ file: await createPlainImage(1, 1).png().toBuffer() })).toMatchObject({ text: '' })
})

testWithTesseract.each([
  { title: 'a truncated image', file: (await drawPage(WORDS).jpeg().toBuffer()).subarray(0, 5000) },
  { title: 'a file that is no image', file: Buffer.from('hello') },
])('rejects $title', async ({ file }) => {
  await expect(recognize({ file })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
})
