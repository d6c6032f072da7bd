/** The styles of cells by their position in styles.xml; custom formats follow. */
export const STYLES = { header: 1, date: 2, datetime: 3, first: 4 } as const

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/\p{Cc}/gu, character => (character === '\n' || character === '\t' ? character : ''))
}

/** The parts that only the number of sheets decides. */
export function listFixedParts(sheets: number): [name: string, content: string][] {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  const override = (part: string, type: string) => `<Override PartName="${part}" ContentType="${TYPES}.${type}+xml"/>`
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
  const sheetTypes = numbers.map(number => override(`/xl/worksheets/sheet${number}.xml`, 'worksheet'))
  const sheetRelations = numbers.map(number => relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`))
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('/xl/workbook.xml', 'sheet.main')}${override('/xl/styles.xml', 'styles')}${sheetTypes.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${RELATIONS}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${RELATIONS}">${sheetRelations.join('')}${relation('rId0', 'styles', 'styles.xml')}</Relationships>`,
    ],
  ]
}

export function renderWorkbook(names: readonly string[]): string {
  const sheets = names.map(
    (name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`
}

const FIRST_FORMAT = 166

export function renderStyles(formats: readonly string[]): string {
  const codes = ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss', ...formats]
  const numberFormats = codes.map(
    (code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${escapeXml(code)}"/>`,
  )
  const cells = codes.map(
    (_, index) =>
      `<xf numFmtId="${FIRST_FORMAT + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  )
  const plain = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
  const header = '<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>'
  const fonts =
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
  const fills =
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE8EAED"/></patternFill></fill></fills>'
  const borders = '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${codes.length}">${numberFormats.join('')}</numFmts>${fonts}${fills}${borders}<cellStyleXfs count="1">${plain.replace(' xfId="0"', '')}</cellStyleXfs><cellXfs count="${codes.length + 2}">${plain}${header}${cells.join('')}</cellXfs></styleSheet>`
}

/** The name of a column, from 0. */
export function columnLetters(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter
}

const FORBIDDEN = /[\\/?*[\]:]/g
const MAX_NAME = 31

/** Spreadsheets refuse some characters, long names and names that differ in case only. */
export function nameSheets(wanted: readonly string[]): string[] {
  const taken = new Set<string>()
  return wanted.map(given => {
    const plain =
      given
        .replace(FORBIDDEN, '_')
        .replace(/^'+|'+$/g, '')
        .trim()
        .slice(0, MAX_NAME) || 'Sheet'
    let free = plain
    for (let number = 2; taken.has(free.toLowerCase()); number++) {
      const suffix = ` (${number})`
      free = plain.slice(0, MAX_NAME - suffix.length) + suffix
    }
    taken.add(free.toLowerCase())
    return free
  })
}
