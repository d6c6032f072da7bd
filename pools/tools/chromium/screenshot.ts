import { writeFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { Region, Size } from '../../../tasks/formats/geometry/region.ts'
import type { Page } from './page.ts'
import { ProtocolError } from './pipe.ts'

// A page on which nothing can load late is not scrolled, because scrolling draws every part of it.

export interface ScreenshotOptions {
  width: number
  /** Viewport height in CSS pixels; default: the height of the page. */
  height?: number
  selector?: string
  /** A region of the page in CSS pixels. */
  clip?: Region
  fullPage: boolean
  /** Of a full page, in CSS pixels; what is below is cut off. */
  maxHeight?: number
  scale: number
  format: 'png' | 'jpeg' | 'webp'
  quality?: number
  transparent: boolean
}

/** The size is in pixels of the image. */
export interface Screenshot extends Size {
  /** Parts from top to bottom, if the image is too tall for a single capture. */
  paths: string[]
  /** The page is taller. */
  isCut?: boolean
}

const MAX_PIXELS = 100_000_000
const MAX_SIDE = 32_767
/** Chromium repeats content in captures taller than twice this; smaller parts also limit its memory use. */
const MAX_PART_HEIGHT = 8_192
const DEFAULT_HEIGHT = 800

/** Sets the viewport before the page is loaded. */
export async function prepareViewport(
  page: Page,
  { width, height = DEFAULT_HEIGHT, scale, transparent }: ScreenshotOptions,
): Promise<void> {
  const { tab } = page
  const transparentColor = { color: { r: 0, g: 0, b: 0, a: 0 } }
  await page.rejectOnCrash(
    Promise.all([
      tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false }),
      ...(transparent ? [tab.send('Emulation.setDefaultBackgroundColorOverride', transparentColor)] : []),
    ]),
  )
}

export async function takeScreenshot(
  page: Page,
  options: ScreenshotOptions,
  out: (name: string) => string,
): Promise<Screenshot> {
  const whole = await resolveBox(page, options)
  const isCut = options.fullPage && whole.height > (options.maxHeight ?? Infinity)
  const box = isCut ? { ...whole, height: options.maxHeight! } : whole
  const width = Math.max(1, Math.round(box.width * options.scale))
  const height = Math.max(1, Math.round(box.height * options.scale))
  const actual = width * height
  if (actual > MAX_PIXELS) throw new Problem('TOO_MANY_PIXELS', { limit: MAX_PIXELS, actual, of: 'the image' })
  if (Math.max(width, height) > MAX_SIDE)
    throw new Problem('TOO_MANY_PIXELS', { limit: MAX_SIDE, actual: Math.max(width, height), of: 'a side' })
  const parts = splitIntoParts(box, options.scale)
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
  return { paths, width, height, ...(isCut && { isCut }) }
}

async function resolveBox(page: Page, options: ScreenshotOptions): Promise<Region> {
  const { width, height, selector, clip, fullPage } = options
  if (clip) return clip
  if (selector !== undefined) return measureElement(page, selector)
  if (height !== undefined && !fullPage) return { x: 0, y: 0, width, height }
  const content = await page.evaluate<number>(fullPage ? FULL_HEIGHT : CONTENT_HEIGHT)
  return { x: 0, y: 0, width, height: Math.max(1, content) }
}

const FULL_HEIGHT = 'Math.ceil(document.scrollingElement?.scrollHeight ?? document.documentElement.scrollHeight)'

/** The height of the content, also for a page that is shorter than the viewport. */
const CONTENT_HEIGHT = `(() => {
  const { body, documentElement: root } = document
  const whole = ${FULL_HEIGHT}
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

async function measureElement(page: Page, selector: string): Promise<Region> {
  const box = await page
    .evaluate<Region | null>(
      `(() => {
        const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect()
        return box ? { x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height } : null
      })()`,
    )
    .catch(error => {
      throw error instanceof ProtocolError ? new Problem('INVALID_PARAM', { field: 'selector' }) : error
    })
  if (!box || box.width <= 0 || box.height <= 0) throw new Problem('SELECTOR_NOT_FOUND', { selector })
  return box
}

function splitIntoParts(box: Region, scale: number): Region[] {
  const step = Math.floor(MAX_PART_HEIGHT / scale)
  const count = Math.ceil(box.height / step)
  return Array.from({ length: count }, (_, index) => {
    const y = index * step
    return { ...box, y: box.y + y, height: Math.min(step, box.height - y) }
  })
}

async function capture(page: Page, box: Region, { format, quality }: ScreenshotOptions): Promise<Buffer> {
  const clip = { ...box, scale: 1 }
  const params = { format, clip, captureBeyondViewport: true, ...(format !== 'png' && { quality: quality ?? 80 }) }
  try {
    const { data } = await page.rejectOnCrash(page.tab.send<{ data: string }>('Page.captureScreenshot', params))
    return Buffer.from(data, 'base64')
  } catch (error) {
    throw error instanceof ProtocolError ? new Problem('HTML_RENDER_FAILED', { detail: error.message }) : error
  }
}
