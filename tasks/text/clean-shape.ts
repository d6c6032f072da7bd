import { Problem } from '#kit'

export const PROFILES = ['strict', 'basic', 'rich', 'email'] as const
export type Profile = (typeof PROFILES)[number]

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
const PICTURES = { img: ['src', 'alt', 'title', 'width', 'height', 'loading'], col: ['span'], td: CELLS, th: CELLS }
const LAYOUT = ['align', 'valign', 'bgcolor', 'width', 'height', 'border', 'cellpadding', 'cellspacing', 'dir', 'lang']

const ATTRIBUTES: Record<Profile, Record<string, string[]>> = {
  strict: {},
  basic: LINKS,
  rich: { ...LINKS, ...PICTURES, time: ['datetime'], details: ['open'], '*': ['class', 'dir', 'lang', 'title'] },
  email: { ...LINKS, ...PICTURES, font: ['color', 'face', 'size'], '*': LAYOUT },
}

/** Never let through, whoever asks: they run, frame, load or break out of what is around them. */
const NEVER_TAGS = new Set(
  'script style iframe frame frameset object embed applet svg math base link meta title head html body noscript template form input button select textarea option portal plaintext xmp noembed noframes foreignobject annotation-xml'.split(
    ' ',
  ),
)
const NEVER_ATTRIBUTE = /^(?:on.*|style|srcdoc|formaction|action|srcset|ping|xmlns.*|xlink.*|id|name|is|slot)$/i
const NEVER_SCHEMES = /^(?:javascript|vbscript|data|blob|file|view-source|jar)$/i

const VALUE = [/^(?!.*(?:url|expression|javascript|import|@|\\))[-\w\s.,#%()"'/]{1,200}$/i]
const STYLE_NAMES =
  'color background-color font-size font-weight font-style font-family text-align text-decoration text-transform line-height letter-spacing vertical-align white-space width max-width min-width height max-height min-height margin margin-top margin-right margin-bottom margin-left padding padding-top padding-right padding-bottom padding-left border border-top border-right border-bottom border-left border-color border-style border-width border-radius border-collapse border-spacing list-style-type'.split(
    ' ',
  )
const STYLES: Record<string, RegExp[]> = Object.fromEntries(STYLE_NAMES.map(name => [name, VALUE]))

export interface CleanChoice {
  profile: Profile
  allowTags?: string[]
  allowAttributes?: Record<string, string[]>
  allowSchemes: string[]
  allowStyles: boolean
  linkRel: string
  stripComments: boolean
}

export function rulesFor(choice: CleanChoice) {
  const { profile, allowTags = [], allowAttributes = {}, allowSchemes, allowStyles, linkRel, stripComments } = choice
  refuse(
    'allowTags',
    allowTags.filter(tag => NEVER_TAGS.has(tag.toLowerCase())),
  )
  refuse(
    'allowAttributes',
    Object.values(allowAttributes)
      .flat()
      .filter(name => NEVER_ATTRIBUTE.test(name)),
  )
  refuse(
    'allowSchemes',
    allowSchemes.filter(scheme => NEVER_SCHEMES.test(scheme)),
  )
  const attributes: Record<string, string[]> = {}
  const sources = [ATTRIBUTES[profile], allowAttributes, allowStyles ? { '*': ['style'] } : {}]
  for (const [tag, names] of sources.flatMap(Object.entries)) attributes[tag] = [...(attributes[tag] ?? []), ...names]
  const tags = [...TAGS[profile], ...allowTags.map(tag => tag.toLowerCase())]
  const schemes = allowSchemes.map(scheme => scheme.toLowerCase())
  return { tags, attributes, schemes, styles: allowStyles ? STYLES : {}, linkRel, stripComments }
}

function refuse(field: string, given: string[]): void {
  if (given.length > 0) throw new Problem('INVALID_PARAM', { field, given, detail: 'never allowed' })
}

export const SCHEMES = ['http', 'https', 'mailto', 'tel']
export const LINK_REL = 'nofollow noopener'
