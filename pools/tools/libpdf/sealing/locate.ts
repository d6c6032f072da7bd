import { readFile } from 'node:fs/promises'
import { PDF } from '@libpdf/core'
import type { PageRegion } from '../../../../tasks/formats/pdf/document.ts'
import { invertMatrix, multiplyMatrices, readPageView } from '../content/page-view.ts'
import { boundingBox, transformRect } from '../redaction/boxes.ts'

interface LocatedText extends PageRegion {
  text: string
}

/** Finds text by a pattern of ours, with the exact boxes of its glyphs, also where it is a part of a word. */
export async function locateTexts([file]: string[], { pattern }: { pattern: string }): Promise<LocatedText[]> {
  const pdf = await PDF.load(await readFile(file!))
  return pdf.getPages().flatMap((page, index) => {
    const { toPage, height } = readPageView(page, ref => pdf.getObject(ref))
    const toView = multiplyMatrices(invertMatrix(toPage)!, [1, 0, 0, -1, 0, height])
    return findOnPage(page, new RegExp(pattern, 'g')).map(({ text, bbox: { x, y, width, height: tall } }) => ({
      ...{ page: index + 1, text },
      box: boundingBox(transformRect(toView, [x, y, x + width, y + tall])),
    }))
  })
}

/** A page whose text libpdf cannot read may still have text that Poppler finds. */
function findOnPage(page: ReturnType<PDF['getPages']>[number], pattern: RegExp) {
  try {
    return page.findText(pattern)
  } catch {
    return []
  }
}
