/** How the text of a kind of document is marked up. */
export interface TextMarkup {
  /** The parts of the package that have text that readers see. */
  parts: RegExp
  commentParts?: RegExp
  isParagraph(name: string): boolean
  /** The elements that hold the text of a paragraph; left out: all of it is text. */
  isHolder?(name: string): boolean
  /** Elements whose content is not shown, or not as text. */
  isSkipped(name: string, tag: string): boolean
  isComment?(name: string): boolean
  /** What stands for a line break of a replacement. */
  lineBreak(prefix: string): string
  /** Spaces at the ends of the text of a holder count only if it says so. */
  preserveSpace: boolean
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

const WORD: TextMarkup = {
  parts: /^word\/(?:document\d*|header\d*|footer\d*|footnotes\d*|endnotes\d*)\.xml$/,
  commentParts: /^word\/comments\d*\.xml$/,
  isParagraph: name => localName(name) === 'p',
  isHolder: name => localName(name) === 't',
  isSkipped: name => ['del', 'moveFrom'].includes(localName(name)),
  // Formulas and charts have no line breaks.
  lineBreak: prefix =>
    ['m:', 'a:'].includes(prefix) ? ' ' : `</${prefix}t><${prefix}br/><${prefix}t xml:space="preserve">`,
  preserveSpace: true,
}

const SLIDES: TextMarkup = {
  parts: /^ppt\/(?:slides\/slide|notesSlides\/notesSlide)\d+\.xml$/,
  isParagraph: name => localName(name) === 'p',
  isHolder: name => localName(name) === 't',
  isSkipped: () => false,
  lineBreak: () => ' ',
  preserveSpace: false,
}

const SHEETS: TextMarkup = {
  parts: /^xl\/(?:sharedStrings|worksheets\/sheet\d+)\.xml$/,
  commentParts: /^xl\/comments(?:\/comment)?\d*\.xml$/,
  isParagraph: name => ['si', 'is', 'text'].includes(localName(name)),
  isHolder: name => localName(name) === 't',
  isSkipped: name => localName(name) === 'rPh',
  lineBreak: () => '\n',
  preserveSpace: true,
}

const OPEN_DOCUMENT: TextMarkup = {
  parts: /^(?:content|styles)\.xml$/,
  isParagraph: name => name === 'text:p' || name === 'text:h',
  // What a cell shows of a number or a formula is computed anew.
  isSkipped: (name, tag) =>
    name === 'text:tracked-changes' ||
    (name === 'table:table-cell' && (/ table:formula=/.test(tag) || / office:value-type="(?!string")/.test(tag))),
  isComment: name => name === 'office:annotation',
  lineBreak: () => '<text:line-break/>',
  preserveSpace: false,
}

export const TEXT_MARKUPS: Record<string, { markup: TextMarkup; contentType: string }> = {
  docx: { markup: WORD, contentType: openXml('wordprocessingml.document') },
  pptx: { markup: SLIDES, contentType: openXml('presentationml.presentation') },
  xlsx: { markup: SHEETS, contentType: openXml('spreadsheetml.sheet') },
  odt: { markup: OPEN_DOCUMENT, contentType: 'application/vnd.oasis.opendocument.text' },
  ods: { markup: OPEN_DOCUMENT, contentType: 'application/vnd.oasis.opendocument.spreadsheet' },
  odp: { markup: OPEN_DOCUMENT, contentType: 'application/vnd.oasis.opendocument.presentation' },
}

function openXml(kind: string): string {
  return `application/vnd.openxmlformats-officedocument.${kind}`
}
