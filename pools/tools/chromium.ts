import { type HtmlSource, Problem, type Warning } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { binary, CHROMIUM, keptTab, takeTab } from './chromium-browser.ts'
import { missingFonts } from './chromium-fonts.ts'
import { Page, type PageOptions } from './chromium-page.ts'
import { addMetadata, type PdfMetadata } from './chromium-pdf.ts'
import { isPlain } from './chromium-plain.ts'
import { type PrintOptions, printTo } from './chromium-print.ts'
import { prepare, type Shot, type ShotOptions, shoot } from './chromium-shot.ts'

/**
 * Draws HTML in a warm, confined browser: a page a call, each in a context and a process of its own. Only pages of mere
 * text and style, in which nothing runs and for which nothing is fetched, are drawn one after the other in one place.
 */
export function bind(room: HostRoom) {
  return {
    /** Prints a page into the file `to`. */
    print: (source: HtmlSource, options: PageOptions & PrintOptions & { metadata?: PdfMetadata }, to: string) =>
      drawn(room, source, options, {
        isUsual: options.media === 'print' && !options.single && !options.header && !options.footer,
        async draw(page) {
          const isShort = (source.html?.length ?? SHORT) < SHORT && page.isPlain
          const pages = await printTo(page, { ...options, isShort }, to)
          if (options.metadata) await addMetadata(to, options.metadata)
          return { pages }
        },
      }),
    /** Takes a picture of a page, in parts where it is very tall. */
    shoot: (source: HtmlSource, options: PageOptions & ShotOptions): Promise<Shot & { warnings: Warning[] }> =>
      drawn(room, source, options, {
        isUsual: !options.transparent,
        before: page => prepare(page, options),
        draw: page => shoot(page, options, room.out),
      }),
  }
}

const SHORT = 200_000

interface Drawing<Made> {
  /** Nothing is asked of the browser that it would have to forget again. */
  isUsual: boolean
  before?(page: Page): Promise<void>
  draw(page: Page): Promise<Made>
}

async function drawn<Made extends object>(
  room: HostRoom,
  source: HtmlSource,
  options: PageOptions,
  { isUsual, before, draw }: Drawing<Made>,
): Promise<Made & { warnings: Warning[] }> {
  return room.daemons.use(room, CHROMIUM, async browser => {
    const isKept = isUsual && isUnmarked(options) && isPlain(source)
    const tab = isKept ? await keptTab(browser) : await takeTab(browser)
    const page = new Page(tab, source, options, { signal: room.signal, outbound: isKept ? undefined : room.outbound })
    await before?.(page)
    await (isKept ? page.write(source.html!) : page.open())
    const namesFonts = source.html === undefined || /font/i.test(source.html) || source.assets.length > 0
    const missing = namesFonts ? await missingFonts(page) : []
    const made = await draw(page)
    return { ...made, warnings: page.findings(missing) }
  })
}

function isUnmarked({ locale, timezone, colorScheme, wait }: PageOptions): boolean {
  return !locale && timezone === 'UTC' && !colorScheme && wait.selector === undefined && wait.delayMs === 0
}

/** Which browser there is; it is not started for that. */
export async function version(room: HostRoom): Promise<string> {
  const { code, stdout } = await room.programs.run(room, binary(), ['--version'], { memoryMb: 0 })
  if (code !== 0) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'chromium' })
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown'
}
