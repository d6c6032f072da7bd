import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Warning } from '#kit'
import { checkSizes, type OpenArchive, sumCompressed } from '../unzip/entry.ts'
import { openZip } from '../zip/reader.ts'
import { writeRepeatedCells } from './repeated-cells.ts'
import { type Part, zipTogether } from './zip-together.ts'

const [CONTENT, STYLES] = ['content.xml', 'styles.xml']
const STYLE_LIST = /<office:(?:automatic-)?styles[\s/>]/
const NO_STYLES =
  '<?xml version="1.0"?><office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0">' +
  '<office:styles/></office:document-styles>'
const WRITTEN_ONCE: Warning = {
  code: 'CONTENT_SKIPPED',
  message: 'Some cells of tables are repeated too often; each is written once.',
}

interface Completed {
  /** Nothing, if the document is whole as it is. */
  bytes?: Uint8Array
  warnings: Warning[]
}

/**
 * Adds the list of styles that an OpenDocument text may lack, but its reader needs, and writes repeated cells of tables
 * one by one, because it reads each once.
 */
export async function completeOdt(path: string): Promise<Completed> {
  const file = await open(path)
  try {
    const archive = await openZip(file, (await file.stat()).size)
    checkSizes(archive.entries, sumCompressed(archive.entries))
    const content = await readText(archive, CONTENT)
    const isStyled = [content, await readText(archive, STYLES)].some(xml => STYLE_LIST.test(xml))
    const written = writeRepeatedCells(content)
    const warnings = written === undefined ? [WRITTEN_ONCE] : []
    const hasNewContent = written !== undefined && written !== content
    if (content === '' || (isStyled && !hasNewContent)) return { warnings }
    const changed = [
      ...(hasNewContent ? [{ name: CONTENT, bytes: Buffer.from(written, 'latin1') }] : []),
      ...(isStyled ? [] : [{ name: STYLES, bytes: Buffer.from(NO_STYLES) }]),
    ]
    return { bytes: await replaceParts(archive, changed), warnings }
  } catch {
    // The reader itself tells what is wrong with a broken file.
    return { warnings: [] }
  } finally {
    await file.close()
  }
}

async function replaceParts(archive: OpenArchive, changed: readonly Part[]): Promise<Uint8Array> {
  const kept: Part[] = []
  for (const [index, { name, kind }] of archive.entries.entries()) {
    if (kind !== 'file' || changed.some(part => part.name === name)) continue
    kept.push({ name, bytes: await buffer(archive.read(index, undefined)) })
  }
  return zipTogether([...kept, ...changed])
}

async function readText(archive: OpenArchive, name: string): Promise<string> {
  const index = archive.entries.findIndex(entry => entry.name === name)
  return index < 0 ? '' : (await buffer(archive.read(index, undefined))).toString('latin1')
}
