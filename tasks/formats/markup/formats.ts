/** From each format to those that it can be converted to. */
export const CONVERSIONS = {
  odt: ['markdown', 'html', 'docx', 'latex', 'rst', 'plain'],
  org: ['markdown', 'html', 'docx', 'latex', 'plain'],
  rst: ['markdown', 'html', 'docx', 'latex', 'plain'],
  docx: [
    ...['markdown', 'html', 'odt', 'rtf', 'epub', 'latex', 'rst', 'org', 'plain', 'pptx', 'ipynb', 'asciidoc', 'gfm'],
    'typst',
  ],
  epub: ['markdown', 'html', 'docx', 'latex', 'plain'],
  html: [
    ...['markdown', 'docx', 'odt', 'rtf', 'epub', 'latex', 'rst', 'org', 'plain', 'pptx', 'ipynb', 'asciidoc', 'gfm'],
    ...['jira', 'typst'],
  ],
  ipynb: ['markdown', 'html', 'docx', 'pptx', 'gfm', 'asciidoc', 'plain'],
  latex: ['markdown', 'html', 'docx', 'odt', 'rst', 'plain', 'pptx', 'asciidoc', 'gfm', 'typst'],
  typst: ['markdown', 'html', 'docx', 'plain'],
  textile: ['markdown', 'html', 'docx', 'plain'],
  mediawiki: ['markdown', 'html', 'docx', 'plain'],
  markdown: [
    ...['html', 'docx', 'odt', 'rtf', 'epub', 'latex', 'rst', 'org', 'textile', 'mediawiki', 'plain', 'pptx', 'ipynb'],
    ...['asciidoc', 'gfm', 'jira', 'typst'],
  ],
} as const satisfies Record<string, readonly MarkupFormat[]>

/** The same as callers search for them. */
export const NAMED_CONVERSIONS = Object.entries(CONVERSIONS).map(([from, targets]) => ({
  from,
  to: targets.join(' ').replace('plain', 'text'),
}))

export type SourceFormat = keyof typeof CONVERSIONS

export type MarkupFormat = keyof typeof MARKUP_FORMATS

interface FormatFacts {
  extension: string
  mime: string
  /** A zip with parts, not text. */
  isContainer?: boolean
  /** A picture can be written into the text as a data URI. */
  holdsDataUris?: boolean
}

export const MARKUP_FORMATS = {
  markdown: { extension: 'md', mime: 'text/markdown', holdsDataUris: true },
  gfm: { extension: 'md', mime: 'text/markdown', holdsDataUris: true },
  html: { extension: 'html', mime: 'text/html', holdsDataUris: true },
  docx: {
    extension: 'docx',
    mime: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    isContainer: true,
  },
  odt: { extension: 'odt', mime: 'application/vnd.oasis.opendocument.text', isContainer: true },
  pptx: {
    extension: 'pptx',
    mime: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    isContainer: true,
  },
  epub: { extension: 'epub', mime: 'application/epub+zip', isContainer: true },
  rtf: { extension: 'rtf', mime: 'application/rtf' },
  latex: { extension: 'tex', mime: 'application/x-tex' },
  typst: { extension: 'typ', mime: 'text/vnd.typst' },
  rst: { extension: 'rst', mime: 'text/x-rst', holdsDataUris: true },
  org: { extension: 'org', mime: 'text/org', holdsDataUris: true },
  asciidoc: { extension: 'adoc', mime: 'text/asciidoc', holdsDataUris: true },
  textile: { extension: 'textile', mime: 'text/x-textile', holdsDataUris: true },
  mediawiki: { extension: 'wiki', mime: 'text/x-wiki' },
  jira: { extension: 'txt', mime: 'text/plain' },
  ipynb: { extension: 'ipynb', mime: 'application/x-ipynb+json' },
  plain: { extension: 'txt', mime: 'text/plain' },
} as const satisfies Record<string, FormatFacts>

export function describeFormat(format: MarkupFormat): FormatFacts {
  return MARKUP_FORMATS[format]
}

export const SOURCE_FORMATS = Object.keys(CONVERSIONS) as SourceFormat[]

export const TARGET_FORMATS = [...new Set(Object.values(CONVERSIONS).flat())] as MarkupFormat[]

/** Warnings that say that something of the document is not in the output. */
const LOSSES: readonly string[] = ['CONTENT_SKIPPED', 'NOT_RENDERED', 'MEDIA_DROPPED']

/** Plain text has no markup, and styles and layout of these documents are not fully retained. */
export function isLossy(from: SourceFormat, to: MarkupFormat, warnings: readonly { code: string }[] = []): boolean {
  const isReduced = to === 'plain' || from === 'odt' || from === 'docx' || from === 'epub'
  return isReduced || warnings.some(({ code }) => LOSSES.includes(code))
}

/** How to make a PDF, which is not a target itself. */
export const PDF_STEPS = ['POST /v1/doc/convert to=html', 'POST /v1/pdf/from-html']
