import { open, writeFile } from 'node:fs/promises'
import { Problem } from '#kit'
import type { Insets } from '../../../tasks/formats/geometry/region.ts'
import type { Page } from './page.ts'
import { countPages } from './pdf-metadata.ts'
import { ProtocolError } from './pipe.ts'

export interface PrintOptions {
  /** In inches, for portrait orientation. */
  width: number
  height: number
  margin: Insets
  landscape: boolean
  scale: number
  preferCssPageSize: boolean
  /** Prints everything on one page of the necessary height. */
  single: boolean
  ranges?: string
  header?: string
  footer?: string
  background: boolean
  media: 'print' | 'screen'
  outline: boolean
  tagged: boolean
  /** Requests the PDF in one message instead of in chunks. */
  isShort?: boolean
  /** Pages beyond the first one over this limit are not printed. */
  maxPages: number
}

const CHUNK_BYTES = 8 * 2 ** 20
const PIXELS_PER_INCH = 96
const MAX_PAGE_INCHES = 200

/** Prints to a file and returns the number of pages. */
export async function printToFile(page: Page, options: PrintOptions, to: string): Promise<number> {
  if (options.media === 'screen')
    await page.rejectOnCrash(page.tab.send('Emulation.setEmulatedMedia', { media: 'screen' }))
  const height = options.single ? await measurePageHeight(page, options) : options.height
  const pages = await printOnce(page, { ...options, height }, to)
  // Rounding can push the last line onto a second page.
  const isCut = options.single && pages > 1 && height < MAX_PAGE_INCHES
  return isCut ? printOnce(page, { ...options, height: Math.min(MAX_PAGE_INCHES, height + SLACK_INCHES) }, to) : pages
}

const SLACK_INCHES = 0.25

async function printOnce(page: Page, options: PrintOptions, to: string): Promise<number> {
  const { data, stream } = await page.rejectOnCrash(requestPdf(page, options))
  if (stream === undefined) await writeFile(to, Buffer.from(data, 'base64'))
  else await page.rejectOnCrash(saveStream(page, stream, to))
  const pages = await countPages(to)
  const { maxPages } = options
  if (pages > maxPages)
    throw new Problem('TOO_MANY_PAGES', { field: 'maxPages', limit: maxPages, actual: `more than ${maxPages}` })
  return pages
}

interface PrintResponse {
  data: string
  stream?: string
}

function requestPdf(page: Page, options: PrintOptions): Promise<PrintResponse> {
  return page.tab.send<PrintResponse>('Page.printToPDF', buildPrintParams(options)).catch(error => {
    throw error instanceof ProtocolError ? toPrintProblem(error.message, options) : error
  })
}

function toPrintProblem(message: string, { ranges }: PrintOptions): Problem {
  if (/page range|exceeds page count/i.test(message)) return new Problem('BAD_RANGE', { segment: ranges })
  if (/paper|margin|printable|content area/i.test(message))
    return new Problem('INVALID_PARAM', { field: 'page', detail: message })
  return new Problem('HTML_RENDER_FAILED', { detail: message })
}

function buildPrintParams(options: PrintOptions): Record<string, unknown> {
  const { width, height, margin, landscape, scale, single, header, footer } = options
  const isLandscape = landscape && !single
  return {
    paperWidth: isLandscape ? height : width,
    paperHeight: isLandscape ? width : height,
    ...toMarginParams(margin),
    scale,
    pageRanges: options.ranges ?? `1-${options.maxPages + 1}`,
    printBackground: options.background,
    preferCSSPageSize: options.preferCssPageSize && !single,
    generateDocumentOutline: options.outline,
    generateTaggedPDF: options.tagged || options.outline,
    displayHeaderFooter: header !== undefined || footer !== undefined,
    headerTemplate: wrapTemplate(header),
    footerTemplate: wrapTemplate(footer),
    transferMode: options.isShort ? 'ReturnAsBase64' : 'ReturnAsStream',
  }
}

function toMarginParams({ top, right, bottom, left }: PrintOptions['margin']): Record<string, number> {
  return { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left }
}

/** Without a font size Chromium draws templates invisibly; without a template it prints its own header. */
function wrapTemplate(template: string | undefined): string {
  if (template === undefined) return '<span></span>'
  return `<div style="font-size:9pt;width:100%;-webkit-print-color-adjust:exact">${template}</div>`
}

/** The page height in inches at which all of the content fits on one page. */
async function measurePageHeight(page: Page, { width, margin, scale, media }: PrintOptions): Promise<number> {
  const contentWidth = Math.max(1, ((width - margin.left - margin.right) * PIXELS_PER_INCH) / scale)
  const metrics = { width: Math.floor(contentWidth), height: 100, deviceScaleFactor: 1, mobile: false }
  await page.rejectOnCrash(
    Promise.all([
      page.tab.send('Emulation.setDeviceMetricsOverride', metrics),
      page.tab.send('Emulation.setEmulatedMedia', { media }),
    ]),
  )
  const contentHeight = await page.evaluate<number>(
    'Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0)',
  )
  const inches = (Math.ceil(contentHeight + 1) * scale) / PIXELS_PER_INCH + margin.top + margin.bottom
  return Math.min(MAX_PAGE_INCHES, Math.max(1, inches))
}

async function saveStream(page: Page, handle: string, to: string): Promise<void> {
  const file = await open(to, 'w')
  try {
    for (let isDone = false; !isDone; ) {
      const request = { handle, size: CHUNK_BYTES }
      const chunk = await page.tab.send<{ data: string; base64Encoded: boolean; eof: boolean }>('IO.read', request)
      await file.write(Buffer.from(chunk.data, chunk.base64Encoded ? 'base64' : 'utf8'))
      isDone = chunk.eof
    }
  } finally {
    await file.close()
  }
  await page.tab.send('IO.close', { handle })
}
