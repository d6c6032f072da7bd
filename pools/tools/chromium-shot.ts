import { writeFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { Page } from './chromium-page.ts'
import { Refusal } from './chromium-pipe.ts'

export interface ShotOptions {
  width: number
  /** Of the window, in CSS pixels; left out: as tall as the page. */
  height?: number
  selector?: string
  fullPage: boolean
  scale: number
  format: 'png' | 'jpeg' | 'webp'
  quality?: number
  transparent: boolean
}

export interface Shot {
  /** Parts from top to bottom; one where the picture is not too tall for one shot. */
  paths: string[]
  /** In pixels of the picture. */
  width: number
  height: number
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

const MOST_PIXELS = 100_000_000
const LONGEST_SIDE = 32_767
/** Taller than this the browser repeats itself; parts of half of it also keep its memory small. */
const TALLEST_PART = 8_192
const FIRST_HEIGHT = 800

/** Before the page is opened: its window. */
export async function prepare(
  page: Page,
  { width, height = FIRST_HEIGHT, scale, transparent }: ShotOptions,
): Promise<void> {
  const { tab } = page
  const clear = { color: { r: 0, g: 0, b: 0, a: 0 } }
  await page.unbroken(
    Promise.all([
      tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false }),
      ...(transparent ? [tab.send('Emulation.setDefaultBackgroundColorOverride', clear)] : []),
    ]),
  )
}

/** Takes a picture of an open page into files. */
export async function shoot(page: Page, options: ShotOptions, out: (name: string) => string): Promise<Shot> {
  const box = await boxOf(page, options)
  const width = Math.max(1, Math.round(box.width * options.scale))
  const height = Math.max(1, Math.round(box.height * options.scale))
  const actual = width * height
  if (actual > MOST_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MOST_PIXELS, actual, of: 'the picture' })
  if (Math.max(width, height) > LONGEST_SIDE)
    throw new Problem('TOO_MANY_PIXELS', { limit: LONGEST_SIDE, actual: Math.max(width, height), of: 'a side' })
  const parts = partsOf(box, options.scale)
  const isOne = parts.length === 1
  const paths: string[] = []
  for (const [index, part] of parts.entries()) {
    const path = out(`shot-${index}`)
    await writeFile(
      path,
      await capture(page, part, isOne ? options : { ...options, format: 'png', quality: undefined }),
    )
    paths.push(path)
  }
  return { paths, width, height }
}

async function boxOf(page: Page, { width, height, selector, fullPage }: ShotOptions): Promise<Box> {
  if (selector !== undefined) return elementBox(page, selector)
  if (height !== undefined && !fullPage) return { x: 0, y: 0, width, height }
  const content = await page.evaluate<number>(fullPage ? WHOLE : CONTENT)
  return { x: 0, y: 0, width, height: Math.max(1, content) }
}

const WHOLE = 'Math.ceil(document.scrollingElement?.scrollHeight ?? document.documentElement.scrollHeight)'

/** A page that is shorter than its window is as tall as what is in it, not as the window. */
const CONTENT = `(() => {
  const { body, documentElement: root } = document
  const whole = ${WHOLE}
  if (!body) return whole
  const number = (element, name) => parseFloat(getComputedStyle(element)[name]) || 0
  const range = document.createRange()
  range.selectNodeContents(body)
  const bottoms = [...body.children].map(child => child.getBoundingClientRect().bottom + number(child, 'marginBottom'))
  const inner = Math.max(range.getBoundingClientRect().bottom, ...bottoms.slice(-5000))
  const content = Math.ceil(inner + scrollY + number(body, 'paddingBottom') + number(body, 'marginBottom'))
  const isQuirky = document.compatMode === 'BackCompat'
  if (whole > innerHeight && (!isQuirky || content > innerHeight)) return whole
  return Math.min(whole, content)
})()`

async function elementBox(page: Page, selector: string): Promise<Box> {
  const box = await page
    .evaluate<Box | null>(
      `(() => {
        const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect()
        return box ? { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height } : null
      })()`,
    )
    .catch(error => {
      throw error instanceof Refusal ? new Problem('INVALID_PARAM', { field: 'selector' }) : error
    })
  if (!box || box.width <= 0 || box.height <= 0) throw new Problem('SELECTOR_NOT_FOUND', { selector })
  return box
}

function partsOf(box: Box, scale: number): Box[] {
  const step = Math.floor(TALLEST_PART / scale)
  const count = Math.ceil(box.height / step)
  return Array.from({ length: count }, (_, index) => {
    const y = index * step
    return { ...box, y: box.y + y, height: Math.min(step, box.height - y) }
  })
}

async function capture(page: Page, box: Box, { format, quality }: ShotOptions): Promise<Buffer> {
  const clip = { ...box, scale: 1 }
  const shot = { format, clip, captureBeyondViewport: true, ...(format !== 'png' && { quality: quality ?? 80 }) }
  try {
    const { data } = await page.unbroken(page.tab.send<{ data: string }>('Page.captureScreenshot', shot))
    return Buffer.from(data, 'base64')
  } catch (error) {
    throw error instanceof Refusal ? new Problem('HTML_RENDER_FAILED', { detail: error.message }) : error
  }
}
