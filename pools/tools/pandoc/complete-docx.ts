import { readPart, replaceParts, withPackage } from './archive-parts.ts'
import type { Completed } from './complete-odt.ts'
import { HIDDEN_LEFT_OUT } from './warnings.ts'
import type { Part } from './zip-together.ts'

const TEXTS = /^word\/(?:document\d*|footnotes|endnotes)\.xml$/
/** A run that holds no other, as one with a text box does. */
const RUN = /<w:r(?: [^>]*)?>(?:(?!<\/?w:r[ >])[\s\S])*?<\/w:r>/g
const SETTINGS = /^<w:r(?: [^>]*)?>\s*<w:rPr>([\s\S]*?)<\/w:rPr>/
const OLD_SETTINGS = /<w:rPrChange[ >][\s\S]*?(?:<\/w:rPrChange>|$)/
const VANISH = /<w:vanish(?:\s+w:val="(?:1|true|on)")?\s*\/>/
const IS_SHOWN = /<w:vanish\s+w:val="(?:0|false|off)"\s*\/>/
const TEXT = /<w:(t|delText)(?: [^>]*)?>([^<]*)<\/w:\1>/g
const STYLE = /<w:style (?=[^>]*w:type="character")[^>]*w:styleId="([^"]+)"(?:(?!<w:style[ >])[\s\S])*?<\/w:style>/g

/** Takes out the hidden text of a Word document, which its reader would show. */
export async function completeDocx(path: string): Promise<Completed> {
  const completed = await withPackage<Completed>(path, async archive => {
    const changed: Part[] = []
    const styles = listHiddenStyles(await readPart(archive, 'word/styles.xml'))
    for (const { name } of archive.entries.filter(entry => TEXTS.test(entry.name))) {
      const xml = await readPart(archive, name)
      const written = takeOutHidden(xml, styles)
      if (written !== xml) changed.push({ name, bytes: Buffer.from(written, 'latin1') })
    }
    if (changed.length === 0) return { warnings: [] }
    return { bytes: await replaceParts(archive, changed), warnings: [HIDDEN_LEFT_OUT] }
  })
  return completed ?? { warnings: [] }
}

/** Fields stay, because their marks may be hidden too, but must be complete. */
function takeOutHidden(xml: string, styles: ReadonlySet<string>): string {
  if (styles.size === 0 && !VANISH.test(xml)) return xml
  return xml.replaceAll(RUN, run => {
    const settings = SETTINGS.exec(run)?.[1]?.replace(OLD_SETTINGS, '') ?? ''
    return isHidden(settings, styles) ? run.replaceAll(TEXT, '') : run
  })
}

function isHidden(settings: string, styles: ReadonlySet<string>): boolean {
  if (VANISH.test(settings)) return true
  const style = /<w:rStyle w:val="([^"]+)"/.exec(settings)?.[1]
  return style !== undefined && styles.has(style) && !IS_SHOWN.test(settings)
}

function listHiddenStyles(styles: string): Set<string> {
  return new Set([...styles.matchAll(STYLE)].filter(([style]) => VANISH.test(style)).map(([, id]) => id!))
}
