import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfBool, PdfDict, PdfName, PdfNumber, PdfRef, PdfStream, PdfString } from '@libpdf/core'
import { buildSrgbProfile } from '../../../../tasks/formats/color/srgb-profile.ts'
import type { PdfMetadata } from '../../../../tasks/formats/pdf/properties.ts'
import { type Resolve, walkDicts } from '../objects.ts'
import { createPacket, writeXmp } from './xmp.ts'

// Decision 0147: write PDF/A ourselves and call it claimed.

export interface PdfaPlan {
  level: string
  xmpProperties: PdfMetadata
  now: string
  /** Descriptions in RDF beside those of the standard. */
  extension?: string
}

const SRGB = 'sRGB IEC61966-2.1'
const PRINTED = 4

/** Adds what PDF/A demands of a document that is otherwise fit for it: a colour profile, metadata, printed annotations. */
export async function writePdfa(
  [file]: string[],
  { level, extension = '', ...plan }: PdfaPlan,
): Promise<{ bytes: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = pdf.getCatalog()
  const packet = createPacket({ pdfa: level }).replace('</rdf:RDF>', () => `${extension}</rdf:RDF>`)
  const xmp = writeXmp(packet, { ...plan, customNames: [] })
  const metadata = { Type: PdfName.of('Metadata'), Subtype: PdfName.of('XML') }
  catalog.set('Metadata', pdf.register(PdfStream.fromDict(metadata, Buffer.from(xmp))))
  const profile = pdf.register(PdfStream.fromDict({ N: PdfNumber.of(3) }, buildSrgbProfile()))
  const intent = PdfDict.of({
    Type: PdfName.of('OutputIntent'),
    S: PdfName.of('GTS_PDFA1'),
    OutputConditionIdentifier: PdfString.fromString(SRGB),
    Info: PdfString.fromString(SRGB),
    DestOutputProfile: profile,
  })
  catalog.set('OutputIntents', PdfArray.of(intent))
  for (const { dict } of pdf.getPages()) showAnnotations(dict, resolve)
  for (const dict of walkDicts(catalog, resolve)) if (dict.has('Interpolate')) dict.set('Interpolate', PdfBool.FALSE)
  return { bytes: await pdf.save({ compressStreams: false }) }
}

function showAnnotations(page: PdfDict, resolve: Resolve): void {
  for (const item of page.getArray('Annots', resolve)?.toArray() ?? []) {
    const annotation = item instanceof PdfRef ? resolve(item) : item
    if (annotation instanceof PdfDict) annotation.set('F', PdfNumber.of(PRINTED))
  }
}
