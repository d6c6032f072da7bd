import { writeFile } from 'node:fs/promises'
import { Problem, type Warning } from '#kit'
import type { Region } from '../../../../tasks/formats/geometry/region.ts'
import type { HostContext } from '../../../host-context.ts'
import { type PrintOptions, printToFile } from '../print.ts'
import { type Screenshot, takeScreenshot } from '../screenshot.ts'
import { READ_HTML, RELEASE_FIXED, STOP_MOTION } from './scripts.ts'
import { type SiteOptions, type SitePage, visitSite } from './visit.ts'

const PDF = 'application/pdf'

export interface CaptureOptions {
  fullPage: boolean
  selector?: string
  clip?: Region
  format: 'png' | 'jpeg' | 'webp'
  quality: number
  transparent: boolean
  /** In CSS pixels; what is below is cut off. */
  maxHeight: number
}

interface CapturedSite extends Screenshot {
  page: SitePage
  warnings: Warning[]
}

export async function captureSite(
  context: HostContext,
  site: SiteOptions,
  options: CaptureOptions,
): Promise<CapturedSite> {
  const { viewport } = site
  const { page, result, warnings } = await visitSite(context, site, async page => {
    if (options.transparent) {
      const color = { r: 0, g: 0, b: 0, a: 0 }
      await page.rejectOnCrash(page.tab.send('Emulation.setDefaultBackgroundColorOverride', { color }))
    }
    if (options.fullPage) await page.evaluate(RELEASE_FIXED)
    await page.evaluate(STOP_MOTION)
    return takeScreenshot(
      page,
      { ...options, width: viewport.width, height: viewport.height, scale: viewport.scale },
      context.out,
    )
  })
  if (!result) throw notAPage(page)
  return { ...result, page, warnings: result.isCut ? [...warnings, HEIGHT_LIMITED] : warnings }
}

interface PrintedSite {
  page: SitePage
  warnings: Warning[]
  /** Undefined if the address is that of a PDF, which is returned as it is. */
  pages?: number
}

export async function printSite(
  context: HostContext,
  site: SiteOptions,
  options: PrintOptions,
  to: string,
): Promise<PrintedSite> {
  const { page, result, file, warnings } = await visitSite(context, site, async page => {
    await page.evaluate(RELEASE_FIXED)
    return printToFile(page, options, to)
  })
  if (result !== undefined) return { page, pages: result, warnings }
  if (!page.contentType.startsWith(PDF) && !isPdf(file!)) throw notAPage(page)
  await writeFile(to, file!)
  return {
    page,
    warnings: [{ code: 'ALREADY_PDF', message: 'The address is that of a PDF, which is returned as it is.' }],
  }
}

export async function readSite(context: HostContext, site: SiteOptions) {
  const { page, result, warnings } = await visitSite(context, site, page => page.evaluate<string>(READ_HTML))
  if (result === undefined) throw notAPage(page)
  return { page, html: result, warnings }
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'
}

function notAPage({ contentType, finalUrl }: SitePage): Problem {
  const detected = contentType.split(';')[0] || 'unknown'
  return new Problem('UNSUPPORTED_FORMAT', { detected, supported: ['text/html'], finalUrl })
}

const HEIGHT_LIMITED: Warning = {
  code: 'HEIGHT_LIMITED',
  message: 'The page is taller than maxHeight and was cut there.',
}
