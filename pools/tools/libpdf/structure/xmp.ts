import type { ConformanceClaims } from '../../../../tasks/formats/pdf/document.ts'
import { joinKeywords, type PdfMetadata } from '../../../../tasks/formats/pdf/properties.ts'

const NAMESPACES = {
  dc: 'http://purl.org/dc/elements/1.1/',
  pdf: 'http://ns.adobe.com/pdf/1.3/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  pdfx: 'http://ns.adobe.com/pdfx/1.3/',
  pdfaid: 'http://www.aiim.org/pdfa/ns/id/',
  pdfuaid: 'http://www.aiim.org/pdfua/ns/id/',
} as const

type Namespace = keyof typeof NAMESPACES

export function readClaims(xmp: string | undefined): ConformanceClaims {
  const part = readProperty(xmp, 'pdfaid', 'part')
  const conformance = readProperty(xmp, 'pdfaid', 'conformance')?.toLowerCase() ?? ''
  const pdfua = readProperty(xmp, 'pdfuaid', 'part')
  return { ...(part && { pdfa: `${part}${conformance}` }), ...(pdfua && { pdfua }) }
}

/** Reads the properties that the information dictionary can hold too. */
export function readXmp(xmp: string | undefined): PdfMetadata {
  return {
    title: readProperty(xmp, 'dc', 'title'),
    author: readProperty(xmp, 'dc', 'creator'),
    subject: readProperty(xmp, 'dc', 'description'),
    creator: readProperty(xmp, 'xmp', 'CreatorTool'),
    producer: readProperty(xmp, 'pdf', 'Producer'),
    creationDate: readProperty(xmp, 'xmp', 'CreateDate'),
  }
}

/** Reads a property, stored as element or attribute. Returns the first item of a list. */
function readProperty(xmp: string | undefined, space: Namespace, name: string): string | undefined {
  for (const prefix of xmp === undefined ? [] : findPrefixes(xmp, space)) {
    const [, inner, double, single] =
      new RegExp(
        `<${prefix}:${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${prefix}:${name}>|\\s${prefix}:${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`,
      ).exec(xmp!) ?? []
    const item = inner === undefined ? undefined : /<rdf:li[^>]*>([\s\S]*?)<\/rdf:li>/.exec(inner)?.[1]
    const value = item ?? inner ?? double ?? single
    if (value !== undefined && !value.includes('<')) return unescapeXml(value).trim() || undefined
  }
  return undefined
}

/** Finds all prefixes that are bound to the namespace. */
function findPrefixes(xmp: string, space: Namespace): string[] {
  const declaration = new RegExp(`xmlns:([\\w.-]+)\\s*=\\s*["']${NAMESPACES[space].replaceAll('.', '\\.')}["']`, 'g')
  const found = [...xmp.matchAll(declaration)].map(([, prefix]) => prefix!.replaceAll('.', '\\.'))
  return [...new Set(found)]
}

const WRITTEN_PROPERTIES: [space: Namespace, names: string[]][] = [
  ['dc', ['title', 'creator', 'description', 'subject', 'language']],
  ['pdf', ['Keywords', 'Producer']],
  ['xmp', ['CreatorTool', 'CreateDate', 'ModifyDate', 'MetadataDate']],
]

/** Replaces these properties in a packet and keeps everything else. A malformed packet is replaced with a new one. */
export function writeXmp(
  old: string | undefined,
  { xmpProperties, customNames, now }: { xmpProperties: PdfMetadata; customNames: readonly string[]; now: string },
): string {
  const packet = old !== undefined && isWellFormed(old) ? old : createPacket(readClaims(old))
  const names: [Namespace, string[]][] = [...WRITTEN_PROPERTIES, ['pdfx', [...customNames]]]
  const about = /\srdf:about\s*=\s*("[^"]*"|'[^']*')/.exec(packet)?.[1] ?? '""'
  const remaining = names
    .reduce((xmp, [space, each]) => removeProperties(xmp, space, each), packet)
    .replaceAll(EMPTY_DESCRIPTION, '')
  const end = remaining.lastIndexOf('</rdf:RDF>')
  return `${remaining.slice(0, end)}${renderDescription(xmpProperties, about, now)}${remaining.slice(end)}`
}

const EMPTY_DESCRIPTION =
  /<rdf:Description(?:\s+(?:rdf:about|xmlns:[\w.-]+)\s*=\s*(?:"[^"]*"|'[^']*'))*\s*>\s*<\/rdf:Description>/g

function removeProperties(xmp: string, space: Namespace, names: readonly string[]): string {
  if (names.length === 0) return xmp
  const alternatives = names.map(name => name.replaceAll('.', '\\.')).join('|')
  return findPrefixes(xmp, space).reduce(
    (left, prefix) =>
      left
        .replaceAll(
          new RegExp(`<${prefix}:(${alternatives})(?:\\s[^>]*)?(?:/>|(?<!/)>[\\s\\S]*?</${prefix}:\\1\\s*>)`, 'g'),
          '',
        )
        .replaceAll(new RegExp(`\\s${prefix}:(?:${alternatives})\\s*=\\s*(?:"[^"]*"|'[^']*')`, 'g'), ''),
    xmp,
  )
}

const TAG =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<(\/?)([\w:.-]+)(?:\s(?:"[^"]*"|'[^']*'|[^'">])*?)?(\/?)>/g

/** Whether the packet has one RDF element and all its elements are closed in order. */
function isWellFormed(xmp: string): boolean {
  if (xmp.split('</rdf:RDF>').length !== 2 || /<!DOCTYPE/i.test(xmp)) return false
  const open: string[] = []
  for (const [, close, name, empty] of xmp.matchAll(TAG)) {
    if (!name || empty) continue
    if (!close) open.push(name)
    else if (open.pop() !== name) return false
  }
  return open.length === 0
}

/** A packet with nothing but claims. */
export function createPacket({ pdfa, pdfua }: ConformanceClaims): string {
  const [, part, level] = /^(\d)(\w*)$/.exec(pdfa ?? '') ?? []
  const claims = [
    part ? `<rdf:Description rdf:about="" xmlns:pdfaid="${NAMESPACES.pdfaid}"><pdfaid:part>${part}</pdfaid:part>` : '',
    part && level ? `<pdfaid:conformance>${level.toUpperCase()}</pdfaid:conformance>` : '',
    part ? '</rdf:Description>' : '',
    pdfua && /^\d$/.test(pdfua)
      ? `<rdf:Description rdf:about="" xmlns:pdfuaid="${NAMESPACES.pdfuaid}" pdfuaid:part="${pdfua}"/>`
      : '',
  ].join('')
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${claims}</rdf:RDF>` +
    '</x:xmpmeta>\n<?xpacket end="w"?>'
  )
}

function renderDescription(metadata: PdfMetadata, about: string, now: string): string {
  const { title, author, subject, keywords = [], creator, producer, creationDate, modDate, language, custom } = metadata
  const simple = (name: string, value: string | undefined) => (value ? `<${name}>${escapeXml(value)}</${name}>` : '')
  const list = (name: string, kind: string, values: readonly string[], head = '') =>
    values.length > 0
      ? `<${name}><rdf:${kind}>${values.map(value => `<rdf:li${head}>${escapeXml(value)}</rdf:li>`).join('')}</rdf:${kind}></${name}>`
      : ''
  const some = (value: string | undefined) => (value ? [value] : [])
  const spaces = (['dc', 'pdf', 'xmp', 'pdfx'] as const).map(space => `xmlns:${space}="${NAMESPACES[space]}"`).join(' ')
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

const INVALID_XML_CHARACTERS = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeXml(text: string): string {
  return text.replaceAll(INVALID_XML_CHARACTERS, '').replaceAll(/[&<>]/g, found => ESCAPES[found]!)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
