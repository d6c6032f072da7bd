import type { Warning } from '#kit'
import { readPart, replaceParts, withPackage } from './archive-parts.ts'
import { takeOutHidden } from './hidden-odt.ts'
import { writeRepeatedCells } from './repeated-cells.ts'
import { HIDDEN_LEFT_OUT } from './warnings.ts'

const [CONTENT, STYLES] = ['content.xml', 'styles.xml']
const STYLE_LIST = /<office:(?:automatic-)?styles[\s/>]/
const NO_STYLES =
  '<?xml version="1.0"?><office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0">' +
  '<office:styles/></office:document-styles>'
const WRITTEN_ONCE: Warning = {
  code: 'CONTENT_SKIPPED',
  message: 'Some cells of tables are repeated too often; each is written once.',
}

export interface Completed {
  /** Nothing, if the document is whole as it is. */
  bytes?: Uint8Array
  warnings: Warning[]
}

/**
 * Adds the part and the list of styles that an OpenDocument text may lack, but its reader needs, writes repeated
 * cells of tables one by one, because it reads each once, and takes out hidden text, which it would show.
 */
export async function completeOdt(path: string): Promise<Completed> {
  const completed = await withPackage<Completed>(path, async archive => {
    const content = await readPart(archive, CONTENT)
    const styles = await readPart(archive, STYLES)
    const isStyled = styles !== '' && [content, styles].some(xml => STYLE_LIST.test(xml))
    const { written, warnings } = completeContent(content, styles)
    const hasNewContent = written !== content
    if (content === '' || (isStyled && !hasNewContent)) return { warnings }
    const changed = [
      ...(hasNewContent ? [{ name: CONTENT, bytes: Buffer.from(written, 'latin1') }] : []),
      ...(isStyled ? [] : [{ name: STYLES, bytes: Buffer.from(NO_STYLES) }]),
    ]
    return { bytes: await replaceParts(archive, changed), warnings }
  })
  return completed ?? { warnings: [] }
}

function completeContent(content: string, styles: string): { written: string; warnings: Warning[] } {
  const shown = takeOutHidden(content, styles)
  const unrolled = writeRepeatedCells(shown)
  const hidden = shown === content ? [] : [HIDDEN_LEFT_OUT]
  return { written: unrolled ?? shown, warnings: unrolled === undefined ? [WRITTEN_ONCE, ...hidden] : hidden }
}
