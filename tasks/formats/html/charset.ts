/** Browsers look for a declaration in as many bytes. */
const DECLARATION_BYTES = 1024
const COMMENTS = /<!--.*?-->/gs
const META_CHARSET = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i
const XML_ENCODING = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w:.-]+)["']/i

/**
 * The charset that the beginning of a page declares, by the name that decoders use. A declaration that can be read byte
 * by byte cannot be UTF-16, so browsers take UTF-8 then.
 */
export function findDeclaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DECLARATION_BYTES))
    .toString('latin1')
    .replaceAll(COMMENTS, '')
  const label = (META_CHARSET.exec(head) ?? XML_ENCODING.exec(head))?.[1]
  const encoding = label && resolveLabel(label)
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding
}

function resolveLabel(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    // Not the name of a charset: as if nothing were declared.
    return undefined
  }
}
