import { joinKeywords } from '../../tasks/pdf/metadata-shape.ts'

/** The properties of a document that both its information dictionary and its XMP hold. */
export interface Described {
  title?: string
  author?: string
  subject?: string
  keywords?: string[]
  creator?: string
  producer?: string
  /** ISO 8601. */
  creationDate?: string
  modDate?: string
  language?: string
  custom?: Readonly<Record<string, string>>
}

const SPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  pdf: 'http://ns.adobe.com/pdf/1.3/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  pdfx: 'http://ns.adobe.com/pdfx/1.3/',
  pdfaid: 'http://www.aiim.org/pdfa/ns/id/',
  pdfuaid: 'http://www.aiim.org/pdfua/ns/id/',
} as const

type Space = keyof typeof SPACES

/** Which conformance a document claims: `2b`, and the part of PDF/UA. */
export interface Claims {
  pdfa?: string
  pdfua?: string
}

export function claimsOf(xmp: string | undefined): Claims {
  const part = textOf(xmp, 'pdfaid', 'part')
  const conformance = textOf(xmp, 'pdfaid', 'conformance')?.toLowerCase() ?? ''
  const pdfua = textOf(xmp, 'pdfuaid', 'part')
  return { ...(part && { pdfa: `${part}${conformance}` }), ...(pdfua && { pdfua }) }
}

/** What an XMP packet says, of the properties that are written too. */
export function readXmp(xmp: string | undefined): Described {
  return {
    title: textOf(xmp, 'dc', 'title'),
    author: textOf(xmp, 'dc', 'creator'),
    subject: textOf(xmp, 'dc', 'description'),
    creator: textOf(xmp, 'xmp', 'CreatorTool'),
    producer: textOf(xmp, 'pdf', 'Producer'),
    creationDate: textOf(xmp, 'xmp', 'CreateDate'),
  }
}

/** The text of a property, or the first item of its list; as an element or as an attribute. */
function textOf(xmp: string | undefined, space: Space, name: string): string | undefined {
  for (const prefix of xmp === undefined ? [] : prefixesOf(xmp, space)) {
    const [, inner, double, single] =
      new RegExp(
        `<${prefix}:${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${prefix}:${name}>|\\s${prefix}:${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`,
      ).exec(xmp!) ?? []
    const item = inner === undefined ? undefined : /<rdf:li[^>]*>([\s\S]*?)<\/rdf:li>/.exec(inner)?.[1]
    const value = item ?? inner ?? double ?? single
    if (value !== undefined && !value.includes('<')) return unescaped(value).trim() || undefined
  }
  return undefined
}

/** A namespace goes by any prefix that is bound to it. */
function prefixesOf(xmp: string, space: Space): string[] {
  const bound = new RegExp(`xmlns:([\\w.-]+)\\s*=\\s*["']${SPACES[space].replaceAll('.', '\\.')}["']`, 'g')
  const found = [...xmp.matchAll(bound)].map(([, prefix]) => prefix!.replaceAll('.', '\\.'))
  return [...new Set(found)]
}

const OWN: [space: Space, names: string[]][] = [
  ['dc', ['title', 'creator', 'description', 'subject', 'language']],
  ['pdf', ['Keywords', 'Producer']],
  ['xmp', ['CreatorTool', 'CreateDate', 'ModifyDate', 'MetadataDate']],
]

/** The packet with these properties instead of those it had; all else of it stays. One that cannot be kept is made anew. */
export function writeXmp(
  old: string | undefined,
  { described, own, now }: { described: Described; own: readonly string[]; now: string },
): string {
  const whole = old !== undefined && isWhole(old) ? old : freshPacket(claimsOf(old))
  const names: [Space, string[]][] = [...OWN, ['pdfx', [...own]]]
  const about = /\srdf:about\s*=\s*("[^"]*"|'[^']*')/.exec(whole)?.[1] ?? '""'
  const bare = names.reduce((xmp, [space, each]) => without(xmp, space, each), whole).replaceAll(EMPTY, '')
  const end = bare.lastIndexOf('</rdf:RDF>')
  return `${bare.slice(0, end)}${descriptionOf(described, about, now)}${bare.slice(end)}`
}

const EMPTY = /<rdf:Description(?:\s+(?:rdf:about|xmlns:[\w.-]+)\s*=\s*(?:"[^"]*"|'[^']*'))*\s*>\s*<\/rdf:Description>/g

function without(xmp: string, space: Space, names: readonly string[]): string {
  if (names.length === 0) return xmp
  const any = names.map(name => name.replaceAll('.', '\\.')).join('|')
  return prefixesOf(xmp, space).reduce(
    (left, prefix) =>
      left
        .replaceAll(new RegExp(`<${prefix}:(${any})(?:\\s[^>]*)?(?:/>|(?<!/)>[\\s\\S]*?</${prefix}:\\1\\s*>)`, 'g'), '')
        .replaceAll(new RegExp(`\\s${prefix}:(?:${any})\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'), ''),
    xmp,
  )
}

const TAG =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([\w:.-]+)(?:\s(?:"[^"]*"|'[^']*'|[^'">])*?)?(\/?)>/g

/** One list of descriptions, and every element that opens closes. */
function isWhole(xmp: string): boolean {
  if (xmp.split('</rdf:RDF>').length !== 2 || /<!DOCTYPE/i.test(xmp)) return false
  const open: string[] = []
  for (const [, close, name, empty] of xmp.matchAll(TAG)) {
    if (!name || empty) continue
    if (!close) open.push(name)
    else if (open.pop() !== name) return false
  }
  return open.length === 0
}

function freshPacket({ pdfa, pdfua }: Claims): string {
  const [, part, level] = /^(\d)(\w*)$/.exec(pdfa ?? '') ?? []
  const claims = [
    part ? `<rdf:Description rdf:about="" xmlns:pdfaid="${SPACES.pdfaid}"><pdfaid:part>${part}</pdfaid:part>` : '',
    part && level ? `<pdfaid:conformance>${level.toUpperCase()}</pdfaid:conformance>` : '',
    part ? '</rdf:Description>' : '',
    pdfua && /^\d$/.test(pdfua)
      ? `<rdf:Description rdf:about="" xmlns:pdfuaid="${SPACES.pdfuaid}" pdfuaid:part="${pdfua}"/>`
      : '',
  ].join('')
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${claims}</rdf:RDF>` +
    '</x:xmpmeta>\n<?xpacket end="w"?>'
  )
}

function descriptionOf(described: Described, about: string, now: string): string {
  const {
    title,
    author,
    subject,
    keywords = [],
    creator,
    producer,
    creationDate,
    modDate,
    language,
    custom,
  } = described
  const simple = (name: string, value: string | undefined) => (value ? `<${name}>${escaped(value)}</${name}>` : '')
  const list = (name: string, kind: string, values: readonly string[], head = '') =>
    values.length > 0
      ? `<${name}><rdf:${kind}>${values.map(value => `<rdf:li${head}>${escaped(value)}</rdf:li>`).join('')}</rdf:${kind}></${name}>`
      : ''
  const some = (value: string | undefined) => (value ? [value] : [])
  const spaces = (['dc', 'pdf', 'xmp', 'pdfx'] as const).map(space => `xmlns:${space}="${SPACES[space]}"`).join(' ')
  const properties = [
    list('dc:title', 'Alt', some(title), ' xml:lang="x-default"'),
    list('dc:creator', 'Seq', some(author)),
    list('dc:description', 'Alt', some(subject), ' xml:lang="x-default"'),
    list('dc:subject', 'Bag', keywords),
    list('dc:language', 'Bag', some(language)),
    simple('pdf:Keywords', joinKeywords(keywords)),
    simple('pdf:Producer', producer),
    simple('xmp:CreatorTool', creator),
    simple('xmp:CreateDate', creationDate),
    simple('xmp:ModifyDate', modDate),
    simple('xmp:MetadataDate', now),
    ...Object.entries(custom ?? {}).map(([name, value]) => simple(`pdfx:${name}`, value)),
  ]
  return `<rdf:Description rdf:about=${about} ${spaces}>${properties.join('')}</rdf:Description>`
}

const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escaped(text: string): string {
  return text.replaceAll(NO_XML, '').replaceAll(/[&<>]/g, found => ESCAPES[found]!)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
