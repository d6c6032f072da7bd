import type { IncomingRequest } from '../../incoming-call.ts'
import { decodeHeader } from '../../intake/header-text.ts'

/** The name of the file by `X-Filename` or `Content-Disposition`, without folders and control characters. */
export function readFilename(headers: IncomingRequest['headers']): string | undefined {
  const given = headers['x-filename'] ?? nameInDisposition(headers['content-disposition'])
  const name = decodeHeader(String(given ?? ''))
    .replaceAll(/\p{Cc}/gu, '')
    .replace(/^.*[/\\]/, '')
    .slice(0, 255)
  return name === '' ? undefined : name.toWellFormed()
}

function nameInDisposition(header: string | undefined): string | undefined {
  const [, extended] = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(header ?? '') ?? []
  if (extended !== undefined) return decodePercents(extended)
  const [, quoted, plain] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '') ?? []
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
}

function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
