import { Problem } from '#kit'

export const PROFILES = ['strict', 'basic', 'rich', 'email'] as const
type Profile = (typeof PROFILES)[number]

const STRICT = ['b', 'strong', 'i', 'em', 'u', 's', 'p', 'br']
const BASIC = [
  ...STRICT,
  'a',
  'ul',
  'ol',
  'li',
  'blockquote',
  'code',
  'pre',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'sub',
  'sup',
  'small',
  'mark',
  'del',
  'ins',
  'kbd',
  'samp',
  'var',
  'q',
  'cite',
  'abbr',
  'dl',
  'dt',
  'dd',
]
const TABLES = ['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td']
const RICH = [
  ...BASIC,
  ...TABLES,
  'img',
  'figure',
  'figcaption',
  'div',
  'span',
  'section',
  'article',
  'header',
  'footer',
  'details',
  'summary',
  'time',
  'picture',
]
const EMAIL = [...BASIC, ...TABLES, 'img', 'div', 'span', 'center', 'font']

const TAGS: Record<Profile, string[]> = { strict: STRICT, basic: BASIC, rich: RICH, email: EMAIL }

const CELLS = ['colspan', 'rowspan', 'headers', 'scope']
const LINKS = {
  a: ['href', 'title', 'rel'],
  abbr: ['title'],
  q: ['cite'],
  blockquote: ['cite'],
  ol: ['start', 'type', 'reversed'],
}
const IMAGES = { img: ['src', 'alt', 'title', 'width', 'height', 'loading'], col: ['span'], td: CELLS, th: CELLS }
const LAYOUT = ['align', 'valign', 'bgcolor', 'width', 'height', 'border', 'cellpadding', 'cellspacing', 'dir', 'lang']

/** A tag that is of use by its attributes has them with any profile that allows it. */
const OF_TAGS: Record<string, string[]> = { ...LINKS, ...IMAGES, time: ['datetime'], details: ['open'] }

const ATTRIBUTES: Record<Profile, Record<string, string[]>> = {
  strict: {},
  basic: LINKS,
  rich: { ...OF_TAGS, '*': ['class', 'dir', 'lang', 'title'] },
  email: { ...LINKS, ...IMAGES, font: ['color', 'face', 'size'], '*': LAYOUT },
}

/** Never allowed, not even on request: these run code, embed or load content, or escape their surroundings. */
const FORBIDDEN_TAGS = new Set(
  'script style iframe frame frameset object embed applet svg math base link meta title head html body noscript template form input button select textarea option portal plaintext xmp noembed noframes foreignobject annotation-xml'.split(
    ' ',
  ),
)
const FORBIDDEN_ATTRIBUTE = /^(?:on.*|style|srcdoc|formaction|action|srcset|ping|xmlns.*|xlink.*|id|name|is|slot)$/i
const FORBIDDEN_SCHEME = /^(?:javascript|vbscript|data|blob|file|view-source|jar)$/i

const SAFE_STYLE_VALUES = [/^(?!.*(?:url|expression|javascript|import|@|\\))[-\w\s.,#%()"'/]{1,200}$/i]
const STYLE_NAMES =
  'color background-color font-size font-weight font-style font-family text-align text-decoration text-transform line-height letter-spacing vertical-align white-space width max-width min-width height max-height min-height margin margin-top margin-right margin-bottom margin-left padding padding-top padding-right padding-bottom padding-left border border-top border-right border-bottom border-left border-color border-style border-width border-radius border-collapse border-spacing list-style-type'.split(
    ' ',
  )
const STYLES: Record<string, RegExp[]> = Object.fromEntries(STYLE_NAMES.map(name => [name, SAFE_STYLE_VALUES]))

interface CleaningOptions {
  profile: Profile
  allowTags?: string[]
  allowAttributes?: Record<string, string[]>
  allowSchemes: string[]
  allowStyles: boolean
  linkRel: string
  stripComments: boolean
}

export interface CleaningRules {
  tags: readonly string[]
  /** By tag; `*` applies to all tags. */
  attributes: Record<string, string[]>
  schemes: readonly string[]
  /** The allowed CSS properties with their allowed values; an empty object removes all styles. */
  styles: Record<string, RegExp[]>
  linkRel: string
  stripComments: boolean
}

export function buildCleaningRules(choice: CleaningOptions): CleaningRules {
  const { profile, allowTags = [], allowAttributes = {}, allowSchemes, allowStyles, linkRel, stripComments } = choice
  rejectForbidden(
    'allowTags',
    allowTags.filter(tag => FORBIDDEN_TAGS.has(tag.toLowerCase())),
  )
  rejectForbidden(
    'allowAttributes',
    Object.values(allowAttributes)
      .flat()
      .filter(name => FORBIDDEN_ATTRIBUTE.test(name)),
  )
  rejectForbidden(
    'allowSchemes',
    allowSchemes.filter(scheme => FORBIDDEN_SCHEME.test(scheme)),
  )
  const attributes: Record<string, string[]> = {}
  const added = allowTags.map(tag => tag.toLowerCase())
  const ofAdded = Object.fromEntries(added.map(tag => [tag, OF_TAGS[tag] ?? []]))
  const sources = [ATTRIBUTES[profile], ofAdded, allowAttributes, allowStyles ? { '*': ['style'] } : {}]
  for (const [tag, names] of sources.flatMap(Object.entries)) attributes[tag] = [...(attributes[tag] ?? []), ...names]
  const tags = [...TAGS[profile], ...added]
  const schemes = allowSchemes.map(scheme => scheme.toLowerCase())
  return { tags, attributes, schemes, styles: allowStyles ? STYLES : {}, linkRel, stripComments }
}

function rejectForbidden(field: string, given: string[]): void {
  if (given.length > 0) throw new Problem('INVALID_PARAM', { field, given, detail: 'these are never allowed' })
}

export const SCHEMES = ['http', 'https', 'mailto', 'tel']
export const LINK_REL = 'nofollow noopener'
