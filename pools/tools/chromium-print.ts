import { open, writeFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { Page } from './chromium-page.ts'
import { pageCountOf } from './chromium-pdf.ts'
import { Refusal } from './chromium-pipe.ts'

export interface PrintOptions {
  /** In inches, upright. */
  width: number
  height: number
  margin: { top: number; right: number; bottom: number; left: number }
  landscape: boolean
  scale: number
  preferCssPageSize: boolean
  /** One page as long as it takes. */
  single: boolean
  ranges?: string
  header?: string
  footer?: string
  background: boolean
  media: 'print' | 'screen'
  outline: boolean
  tagged: boolean
  /** It comes in one piece; what may be long comes in many. */
  isShort?: boolean
  /** More pages than this are not even printed. */
  maxPages: number
}

const CHUNK_BYTES = 8 * 2 ** 20
const PIXELS_AN_INCH = 96
const LONGEST_INCHES = 200

/** Prints a page into a file; gives the number of its pages. */
export async function printTo(page: Page, options: PrintOptions, to: string): Promise<number> {
  if (options.media === 'screen') await page.unbroken(page.tab.send('Emulation.setEmulatedMedia', { media: 'screen' }))
  const height = options.single ? await heightOf(page, options) : options.height
  const pages = await printOnce(page, { ...options, height }, to)
  // The last line may fall off by the width of a hair.
  const isCut = options.single && pages > 1 && height < LONGEST_INCHES
  return isCut ? printOnce(page, { ...options, height: Math.min(LONGEST_INCHES, height + SLACK) }, to) : pages
}

const SLACK = 0.25

async function printOnce(page: Page, options: PrintOptions, to: string): Promise<number> {
  const { data, stream } = await page.unbroken(ask(page, options))
  if (stream === undefined) await writeFile(to, Buffer.from(data, 'base64'))
  else await page.unbroken(save(page, stream, to))
  const pages = await pageCountOf(to)
  const { maxPages } = options
  if (pages > maxPages) throw new Problem('TOO_MANY_PAGES', { limit: maxPages, actual: `more than ${maxPages}` })
  return pages
}

interface Printed {
  data: string
  stream?: string
}

function ask(page: Page, options: PrintOptions): Promise<Printed> {
  return page.tab.send<Printed>('Page.printToPDF', paramsOf(options)).catch(error => {
    throw error instanceof Refusal ? refusedBecause(error.message, options) : error
  })
}

function refusedBecause(message: string, { ranges }: PrintOptions): Problem {
  if (/page range|exceeds page count/i.test(message)) return new Problem('BAD_RANGE', { segment: ranges })
  if (/paper|margin|printable|content area/i.test(message))
    return new Problem('INVALID_PARAM', { field: 'page', detail: message })
  return new Problem('HTML_RENDER_FAILED', { detail: message })
}

function paramsOf(options: PrintOptions): Record<string, unknown> {
  const { width, height, margin, landscape, scale, single, header, footer } = options
  const isLying = landscape && !single
  return {
    paperWidth: isLying ? height : width,
    paperHeight: isLying ? width : height,
    ...sides(margin),
    scale,
    pageRanges: options.ranges ?? `1-${options.maxPages + 1}`,
    printBackground: options.background,
    preferCSSPageSize: options.preferCssPageSize && !single,
    generateDocumentOutline: options.outline,
    generateTaggedPDF: options.tagged || options.outline,
    displayHeaderFooter: header !== undefined || footer !== undefined,
    headerTemplate: framed(header),
    footerTemplate: framed(footer),
    transferMode: options.isShort ? 'ReturnAsBase64' : 'ReturnAsStream',
  }
}

function sides({ top, right, bottom, left }: PrintOptions['margin']): Record<string, number> {
  return { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left }
}

/** The browser draws these in letters of no size unless told otherwise, and puts words of its own where there are none. */
function framed(template: string | undefined): string {
  if (template === undefined) return '<span></span>'
  return `<div style="font-size:9pt;width:100%;-webkit-print-color-adjust:exact">${template}</div>`
}

/** How tall a sheet must be for all of the page, in inches. */
async function heightOf(page: Page, { width, margin, scale, media }: PrintOptions): Promise<number> {
  const inner = Math.max(1, ((width - margin.left - margin.right) * PIXELS_AN_INCH) / scale)
  const metrics = { width: Math.floor(inner), height: 100, deviceScaleFactor: 1, mobile: false }
  await page.unbroken(
    Promise.all([
      page.tab.send('Emulation.setDeviceMetricsOverride', metrics),
      page.tab.send('Emulation.setEmulatedMedia', { media }),
    ]),
  )
  const tall = await page.evaluate<number>(
    'Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0)',
  )
  const inches = (Math.ceil(tall + 1) * scale) / PIXELS_AN_INCH + margin.top + margin.bottom
  return Math.min(LONGEST_INCHES, Math.max(1, inches))
}

async function save(page: Page, handle: string, to: string): Promise<void> {
  const file = await open(to, 'w')
  try {
    for (let isOver = false; !isOver; ) {
      const read = { handle, size: CHUNK_BYTES }
      const part = await page.tab.send<{ data: string; base64Encoded: boolean; eof: boolean }>('IO.read', read)
      await file.write(Buffer.from(part.data, part.base64Encoded ? 'base64' : 'utf8'))
      isOver = part.eof
    }
  } finally {
    await file.close()
  }
  await page.tab.send('IO.close', { handle })
}
