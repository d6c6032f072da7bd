import { type HtmlSource, Problem, type Warning } from '#kit'
import type { HostRoom } from '../job-room.ts'
import { binary, CHROMIUM, takeTab } from './chromium-browser.ts'
import { Page, type PageOptions } from './chromium-page.ts'
import { addMetadata, type PdfMetadata } from './chromium-pdf.ts'
import { type PrintOptions, printTo } from './chromium-print.ts'
import { prepare, type Shot, type ShotOptions, shoot } from './chromium-shot.ts'

/** Draws HTML in a warm, confined browser: a page a call, each in a context and a process of its own. */
export function bind(room: HostRoom) {
  return {
    /** Prints a page into the file `to`. */
    print: (source: HtmlSource, options: PageOptions & PrintOptions & { metadata?: PdfMetadata }, to: string) =>
      drawn(room, source, options, async page => {
        const pages = await printTo(page, options, to)
        if (options.metadata) await addMetadata(to, options.metadata)
        return { pages }
      }),
    /** Takes a picture of a page, in parts where it is very tall. */
    shoot: (source: HtmlSource, options: PageOptions & ShotOptions): Promise<Shot & { warnings: Warning[] }> =>
      drawn(
        room,
        source,
        options,
        page => shoot(page, options, room.out),
        page => prepare(page, options),
      ),
  }
}

async function drawn<Made extends object>(
  room: HostRoom,
  source: HtmlSource,
  options: PageOptions,
  draw: (page: Page) => Promise<Made>,
  before: (page: Page) => Promise<void> = async () => undefined,
): Promise<Made & { warnings: Warning[] }> {
  return room.daemons.use(room, CHROMIUM, async browser => {
    const page = new Page(await takeTab(browser), source, options, undefined)
    await before(page)
    await page.open()
    const made = await draw(page)
    return { ...made, warnings: page.findings() }
  })
}

/** Which browser there is; it is not started for that. */
export async function version(room: HostRoom): Promise<string> {
  const { code, stdout } = await room.programs.run(room, binary(), ['--version'], { memoryMb: 0 })
  if (code !== 0) throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'chromium' })
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown'
}
