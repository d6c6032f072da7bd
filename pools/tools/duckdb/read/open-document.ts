const BARE_CELL = /<table:table-cell\b((?:[^>"]|"[^"]*")*?)(?:\/>|>\s*<\/table:table-cell>)/g
const VALUE = /\soffice:(?:string-|date-|time-|boolean-)?value="([^"]*)"/

/** The parser reads no value without a text that shows it, which programs other than LibreOffice leave out. */
export function showBareValues(content: Uint8Array): Uint8Array {
  const xml = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1')
  const shown = xml.replace(BARE_CELL, (whole, attributes: string) => {
    const value = VALUE.exec(attributes)?.[1]
    return value === undefined ? whole : `<table:table-cell${attributes}><text:p>${value}</text:p></table:table-cell>`
  })
  return shown === xml ? content : Buffer.from(shown, 'latin1')
}

/** The parser needs the part, which may be missing. */
export const NO_STYLES = Buffer.from(
  '<?xml version="1.0"?><office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>',
)
