import { readFile } from 'node:fs/promises'
import { PDF } from '@libpdf/core'
import { readPageView } from '../content/page-view.ts'
import { acroFormOf, collectFields, inheritedAttribute } from '../forms/fields.ts'
import type { Resolve } from '../objects.ts'
import { pageBoxesOf } from '../pages/boxes.ts'
import { collectAttachments } from '../structure/attachments.ts'

interface SealablePage {
  number: number
  /** Points, as displayed. */
  width: number
  height: number
  rotation: 0 | 90 | 180 | 270
  isCropped: boolean
}

interface Sealable {
  pages: SealablePage[]
  formFields: number
  attachments: number
  isXfa: boolean
  /** Has a signature that a change would break. */
  isSigned: boolean
}

/** Finds out what matters before a document is sent to be signed. */
export async function inspectForSealing([file]: string[]): Promise<Sealable> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve: Resolve = ref => pdf.getObject(ref)
  const fields = collectFields(pdf)
  const isFilled = fields.some(({ type, dict }) => type === 'signature' && inheritedAttribute(dict, 'V', resolve))
  const isCertified = pdf.getCatalog().getDict('Perms', resolve)?.has('DocMDP') ?? false
  return {
    pages: listSealablePages(pdf),
    formFields: fields.filter(({ type }) => type !== 'signature').length,
    attachments: collectAttachments(pdf).length,
    isXfa: acroFormOf(pdf)?.has('XFA') ?? false,
    isSigned: isFilled || isCertified,
  }
}

function listSealablePages(pdf: PDF): SealablePage[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  return pdf.getPages().map((page, index) => {
    const { width, height } = readPageView(page, resolve)
    const { media, crop, rotate } = pageBoxesOf(page.dict, resolve)
    const isCropped = crop.some((side, at) => Math.abs(side - media[at]!) > 0.01)
    return { number: index + 1, width, height, rotation: rotate as SealablePage['rotation'], isCropped }
  })
}
