import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'layout-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

const LETTER = readFileSync('tasks/samples/letter.pdf')

interface Layout {
  text: string
  markdown?: string
  html?: string
  rotation: number
  source: string
  blocks?: {
    id: string
    type: string
    text: string
    level?: number
    box: { x: number; y: number; width: number; height: number }
    lines?: { text: string; words?: { text: string; box: { x: number } }[] }[]
  }[]
}

async function read(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'doc.ocr-layout', { languages: ['eng'], ...body }, { limitSeconds: 60 })
  return { ...answer, layout: answer.result as unknown as Layout }
}

test('reads the text layer of a page with its structure', async () => {
  const { layout, chargedMicros } = await read({ file: LETTER, page: 1, include: ['lines', 'words'] })
  expect(layout).toMatchObject({ source: 'text-layer', rotation: 0 })
  expect(layout.blocks!.map(({ id, type }) => [id, type])).toEqual([
    ['p1-b1', 'title'],
    ['p1-b2', 'paragraph'],
  ])
  const { box, lines } = layout.blocks![0]!
  expect(box.x + box.width).toBeLessThan(0.5)
  expect(lines![0]!.words!.map(({ text }) => text)).toEqual(['Harbour', 'report'])
  expect(chargedMicros).toBe(8000n)
  expect((await read({ file: LETTER, page: 2, output: 'markdown' })).layout.markdown).toMatch(/Stores\n\nOil for forty/)
  expect((await read({ file: LETTER, page: 1, output: 'html' })).layout.html).toMatch(/^<h1>Harbour report<\/h1>\n<p>/)
})

test('reads a scan, also one that lies on its side', async () => {
  const scan = join(folder, 'scan')
  execFileSync('pdftoppm', ['-r', '150', '-png', '-singlefile', '-f', '1', '-l', '1', 'tasks/samples/letter.pdf', scan])
  const upright = readFileSync(`${scan}.png`)
  const { layout } = await read({ file: upright })
  expect(layout).toMatchObject({ source: 'ocr', rotation: 0 })
  expect(layout.text).toMatch(/Harbour report[\s\S]*lighthouse keeper/)
  const turned = await read({ file: await sharp(upright).rotate(90).png().toBuffer() })
  expect(turned.layout).toMatchObject({ rotation: 270, text: expect.stringContaining('lighthouse keeper') })
})

test('tells what it cannot read', async () => {
  const blank = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  expect(await read({ file: blank })).toMatchObject({ layout: { blocks: [], text: '' }, warnings: ['NO_TEXT_FOUND'] })
  const cases: [Record<string, unknown>, string][] = [
    [{ file: LETTER }, 'TOO_MANY_PAGES'],
    [{ file: LETTER, page: 3 }, 'BAD_RANGE'],
    [{ file: LETTER.subarray(0, 400) }, 'PDF_PARSE_FAILED'],
    [{ file: blank.subarray(0, 60) }, 'IMAGE_DECODE_FAILED'],
    [{ file: blank, languages: ['xx'] }, 'LANGUAGE_UNSUPPORTED'],
  ]
  for (const [body, code] of cases) await expect(read(body), code).rejects.toMatchObject({ code })
})
