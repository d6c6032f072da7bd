/** Of each level of a text: a bullet, a number, or that there is none of both. */
export type Levels = readonly (Kind | undefined)[]
type Kind = 'b' | 'n' | 'none'

const LEVELS = 9
const SHAPE = /<p:sp(?: [^>]*)?>[\s\S]*?<\/p:sp>/g
const PARAGRAPH = /<a:p>[\s\S]*?<\/a:p>/g
const SETTINGS = /<a:pPr(?: [^>]*)?(?:\/>|>[\s\S]*?<\/a:pPr>)/
const BULLET = /<a:bu(?:None|Char|AutoNum|Blip)(?: [^>]*)?(?:\/>|>[\s\S]*?<\/a:bu(?:None|Char|AutoNum|Blip)>)/
const FIRST_TEXT = /<a:t(?: [^>]*)?>(?=[^<])/

/** What stands before the text of an item until the filter of lists has read it, as bytes of UTF-8. */
const MARK = ['\uF8E0', '\uF8E1'].map(character => Buffer.from(character).toString('latin1'))

/** Marks the paragraphs that are shown as items of lists, with their level, and takes their own bullets away. */
export function markListItems(slide: string, inherit: (index: string) => Levels[]): string {
  return slide.replaceAll(SHAPE, shape => {
    const inherited = [readListStyle(shape), ...(isBody(shape) ? inherit(readIndex(shape)) : [])]
    return shape.replaceAll(PARAGRAPH, paragraph => markItem(paragraph, inherited))
  })
}

function markItem(paragraph: string, inherited: readonly Levels[]): string {
  const [settings = ''] = SETTINGS.exec(paragraph) ?? []
  const level = Math.min(LEVELS - 1, Number(/ lvl="(\d)"/.exec(settings)?.[1] ?? 0))
  const kind = kindOf(settings) ?? inherited.map(levels => levels[level]).find(Boolean) ?? 'none'
  if (kind === 'none' || !FIRST_TEXT.test(paragraph)) return paragraph
  return paragraph
    .replace(settings, () => settings.replace(BULLET, ''))
    .replace(FIRST_TEXT, tag => `${tag}${MARK[0]}${kind}${level}${MARK[1]}`)
}

/** The placeholder of the text of a slide; titles, subtitles, dates and numbers have no items. */
function isBody(shape: string): boolean {
  const [placeholder] = /<p:ph(?: [^>]*)?\/?>/.exec(shape) ?? []
  return placeholder !== undefined && !/ type="(?!body"|obj")/.test(placeholder)
}

function readIndex(shape: string): string {
  return /<p:ph [^>]*?\bidx="(\d+)"/.exec(shape)?.[1] ?? '0'
}

export function readLayoutLevels(layout: string): Map<string, Levels[]> {
  const shapes = [...layout.matchAll(SHAPE)].map(([shape]) => shape).filter(isBody)
  return new Map(shapes.map(shape => [readIndex(shape), [readListStyle(shape)]]))
}

export function readMasterLevels(master: string): Levels {
  return readLevels(/<p:bodyStyle>[\s\S]*?<\/p:bodyStyle>/.exec(master)?.[0] ?? '')
}

function readListStyle(shape: string): Levels {
  return readLevels(/<a:lstStyle>[\s\S]*?<\/a:lstStyle>/.exec(shape)?.[0] ?? '')
}

function readLevels(style: string): Levels {
  return Array.from({ length: LEVELS }, (_, level) => {
    const name = `a:lvl${level + 1}pPr`
    return kindOf(new RegExp(`<${name}(?: [^>]*)?>[\\s\\S]*?</${name}>`).exec(style)?.[0] ?? '')
  })
}

function kindOf(settings: string): Kind | undefined {
  const [, name] = /<a:bu(None|Char|AutoNum|Blip)\b/.exec(settings) ?? []
  if (name === undefined) return undefined
  if (name === 'None') return 'none'
  return name === 'AutoNum' ? 'n' : 'b'
}
