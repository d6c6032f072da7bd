export const ESCAPES = ['none', 'html', 'xml', 'json', 'markdown', 'csv'] as const
export type Escape = (typeof ESCAPES)[number]

const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const XML: Record<string, string> = { ...HTML, "'": '&apos;' }

const ESCAPERS: Record<Escape, (text: string) => string> = {
  none: text => text,
  html: text => text.replace(/[&<>"']/g, character => HTML[character]!),
  xml: text =>
    text
      .replace(/[&<>"']/g, character => XML[character]!)
      .replace(/\p{Cc}/gu, control => ('\t\n\r'.includes(control) ? control : '')),
  json: text => JSON.stringify(text).slice(1, -1),
  markdown: text => text.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, '\\$&'),
  csv: text => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text),
}

/** Creates the function that inserts values into a template; objects are written as JSON. */
export function createEscaper(escaping: Escape): (value: unknown) => string {
  return value => ESCAPERS[escaping](toText(value))
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
