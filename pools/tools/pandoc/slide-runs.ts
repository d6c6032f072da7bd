const RUN = /<a:(?:r|fld)(?: [^>]*)?>[\s\S]*?<\/a:(?:r|fld)>/.source
const RUNS = new RegExp(`${RUN}(?:\\s*${RUN})*`, 'g')
const ONE_RUN = new RegExp(RUN, 'g')
const TEXT = /<a:t(?: [^>]*)?>([^<]*)<\/a:t>/
const SETTINGS = /<a:rPr(?: [^>]*)?(?:\/>|>[\s\S]*?<\/a:rPr>)/
const LINK = /<a:hlinkClick [^>]*?r:id="([^"]+)"/
const SHAPE = /<p:sp(?: [^>]*)?>[\s\S]*?<\/p:sp>/g
const TITLE = /<p:ph [^>]*type="(?:title|ctrTitle)"/
const WEB_ADDRESS = /^(?:https?|ftp|mailto|tel):/i
/** No other white space, because the bytes of letters may look like it. */
const EDGES = /^([ \t\r\n]*)([\s\S]*?)([ \t\r\n]*)$/

/** What stands around a text of a format until the filter has read it, as bytes of UTF-8. */
const [OPEN, OPENED, CLOSE] = ['\uF8E2', '\uF8E3', '\uF8E4'].map(mark => Buffer.from(mark).toString('latin1'))

/** Joins the runs of each line of a slide into one, and marks what is bold, italic, struck or a link in it. */
export function joinRuns(slide: string, relations: string): string {
  const links = readLinks(relations)
  const join = (xml: string, ignored: string) => xml.replaceAll(RUNS, runs => joinLine(runs, links, ignored))
  let from = 0
  let written = ''
  for (const { 0: shape, index } of slide.matchAll(SHAPE)) {
    // A title is bold as it is.
    written += join(slide.slice(from, index), '') + join(shape, TITLE.test(shape) ? 'B' : '')
    from = index + shape.length
  }
  return written + join(slide.slice(from), '')
}

function joinLine(line: string, links: Map<string, string>, ignored: string): string {
  const pieces: { text: string; format: string }[] = []
  const runs = line.match(ONE_RUN) ?? []
  for (const run of runs) {
    const text = TEXT.exec(run)?.[1] ?? ''
    const format = readFormat(run, links).replace(ignored, '')
    const last = pieces.at(-1)
    if (last?.format === format) last.text += text
    else if (text !== '') pieces.push({ text, format })
  }
  if (runs.length === 1 && !pieces[0]?.format) return line
  return `<a:r><a:t>${pieces.map(markPiece).join('')}</a:t></a:r>`
}

function markPiece({ text, format }: { text: string; format: string }): string {
  const [, before, content, after] = EDGES.exec(text)!
  return format === '' || content === '' ? text : `${before}${OPEN}${format}${OPENED}${content}${CLOSE}${after}`
}

function readFormat(run: string, links: Map<string, string>): string {
  const [settings = ''] = SETTINGS.exec(run) ?? []
  const link = links.get(LINK.exec(settings)?.[1] ?? '')
  const isBold = /^<a:rPr[^>]* b="(?:1|true)"/.test(settings)
  const isItalic = /^<a:rPr[^>]* i="(?:1|true)"/.test(settings)
  const isStruck = /^<a:rPr[^>]* strike="(?:sng|dbl)Strike"/.test(settings)
  return `${isBold ? 'B' : ''}${isItalic ? 'I' : ''}${isStruck ? 'S' : ''}${link ? `L${link}` : ''}`
}

/** The addresses outside of the slides that links lead to, as digits that no reader changes. */
function readLinks(relations: string): Map<string, string> {
  const links = new Map<string, string>()
  for (const [relation] of relations.matchAll(/<Relationship [^>]*>/g)) {
    const [id, target] = [/ Id="([^"]+)"/, / Target="([^"]+)"/].map(pattern => pattern.exec(relation)?.[1])
    const address = target?.replace(/&(?:amp|quot|apos|lt|gt);/g, entity => ENTITIES[entity]!)
    if (id && address && WEB_ADDRESS.test(address)) links.set(id, Buffer.from(address, 'latin1').toString('hex'))
  }
  return links
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&quot;': '"', '&apos;': "'", '&lt;': '<', '&gt;': '>' }
