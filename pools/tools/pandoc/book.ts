import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Problem } from '#kit'
import { openZip } from '../zip/reader.ts'

/** Fonts may be obscured in any book; these algorithms encrypt nothing that is read here. */
const FONT_OBFUSCATION = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/
const ALGORITHM = /EncryptionMethod\s[^>]*Algorithm\s*=\s*["']([^"']*)/g
const MAX_BYTES = 2 ** 20

/** A book whose chapters are encrypted can be unpacked, but not read. */
export async function rejectProtectedBook(path: string): Promise<void> {
  const file = await open(path)
  try {
    const archive = await openZip(file, (await file.stat()).size)
    const at = archive.entries.findIndex(({ name }) => name === 'META-INF/encryption.xml')
    if (archive.entries.some(({ isEncrypted }) => isEncrypted)) throw new Problem('DOC_ENCRYPTED', { field: 'file' })
    if (at < 0 || archive.entries[at]!.sizeBytes > MAX_BYTES) return
    const xml = (await buffer(archive.read(at, undefined))).toString('utf8')
    const algorithms = [...xml.matchAll(ALGORITHM)].map(([, algorithm]) => algorithm!)
    if (algorithms.some(algorithm => !FONT_OBFUSCATION.test(algorithm)))
      throw new Problem('DOC_ENCRYPTED', { field: 'file', detail: 'digital rights management' })
  } catch (error) {
    if (error instanceof Problem && error.code !== 'DOC_ENCRYPTED') throw new Problem('DOC_PARSE_FAILED', error.hints)
    throw error
  } finally {
    await file.close()
  }
}
