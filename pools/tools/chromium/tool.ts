import { type HtmlSource, Problem, type Warning } from '#kit'
import type { HostContext } from '../../host-context.ts'
import { CHROMIUM, findBinary, takePlainTab, takeTab } from './browser.ts'
import { findMissingFonts } from './fonts.ts'
import { createContent, Page, type PageOptions } from './page.ts'
import { addMetadata, type PdfMetadata } from './pdf-metadata.ts'
import { isPlainPage } from './plain-page.ts'
import { type PrintOptions, printToFile } from './print.ts'
import { prepareViewport, type Screenshot, type ScreenshotOptions, takeScreenshot } from './screenshot.ts'
import { type CaptureOptions, captureSite, printSite, readSite } from './site/outputs.ts'
import type { SiteOptions } from './site/visit.ts'

/**
 * Renders HTML in a warm, sandboxed browser. Each page gets its own browser context and process, except for pages of
 * text and styles only, which run no scripts and fetch nothing: these share a tab.
 */
export function bind(context: HostContext) {
  return {
    print: (source: HtmlSource, options: PageOptions & PrintOptions & { metadata?: PdfMetadata }, to: string) =>
      withPage(context, source, options, {
        leavesNoState: options.media === 'print' && !options.single && !options.header && !options.footer,
        async run(page) {
          const isShort = (source.html?.length ?? MAX_SHORT_HTML) < MAX_SHORT_HTML && page.isPlain
          const pages = await printToFile(page, { ...options, isShort }, to)
          if (options.metadata) await addMetadata(to, options.metadata)
          return { pages }
        },
      }),
    takeScreenshot: (
      source: HtmlSource,
      options: PageOptions & ScreenshotOptions,
    ): Promise<Screenshot & { warnings: Warning[] }> =>
      withPage(context, source, options, {
        leavesNoState: !options.transparent,
        prepare: page => prepareViewport(page, options),
        run: page => takeScreenshot(page, options, context.out),
      }),
    printSite: (site: SiteOptions, options: PrintOptions, to: string) => printSite(context, site, options, to),
    captureSite: (site: SiteOptions, options: CaptureOptions) => captureSite(context, site, options),
    readSite: (site: SiteOptions) => readSite(context, site),
  }
}

const MAX_SHORT_HTML = 200_000

interface PageTask<Result> {
  /** The task changes no browser settings that the next page in the same tab would inherit. */
  leavesNoState: boolean
  prepare?(page: Page): Promise<void>
  run(page: Page): Promise<Result>
}

async function withPage<Result extends object>(
  context: HostContext,
  source: HtmlSource,
  options: PageOptions,
  { leavesNoState, prepare, run }: PageTask<Result>,
): Promise<Result & { warnings: Warning[] }> {
  return context.daemons.use(context, CHROMIUM, async browser => {
    const usesPlainTab = leavesNoState && hasDefaultEnvironment(options) && isPlainPage(source)
    const tab = usesPlainTab ? await takePlainTab(browser) : await takeTab(browser)
    const { signal } = context
    const content = createContent(tab, source, options, {
      signal,
      outbound: usesPlainTab ? undefined : context.outbound,
    })
    const page = new Page(tab, content, options)
    await prepare?.(page)
    await (usesPlainTab ? page.write(source.html!) : page.open())
    const mayNameFonts = source.html === undefined || /font/i.test(source.html) || source.assets.length > 0
    const missingFonts = mayNameFonts ? await findMissingFonts(page) : []
    const result = await run(page)
    return { ...result, warnings: page.collectWarnings(missingFonts) }
  })
}

function hasDefaultEnvironment({ locale, timezone, colorScheme, wait }: PageOptions): boolean {
  return !locale && timezone === 'UTC' && !colorScheme && wait.selector === undefined && wait.delayMs === 0
}

/** Asks the program for its version, without starting a browser session. */
export async function version(context: HostContext): Promise<string> {
  const { code, stdout } = await context.programs.run(context, findBinary(), ['--version'], { memoryMb: 0 })
  if (code !== 0) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'chromium' })
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown'
}
