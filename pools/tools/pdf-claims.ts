import { readFile } from 'node:fs/promises'
import { PDF, PdfStream } from '@libpdf/core'

const MOST_XMP_BYTES = 2 ** 20
/** As elements and as attributes of a description. */
const CLAIM = /<pdfaid:(\w+)[^>]*>[\s\S]*?<\/pdfaid:\1>|\s+pdfaid:\w+="[^"]*"/g

/** An encrypted file is no PDF/A. Gives nothing where the document does not claim to be one. */
export async function dropPdfaClaim([file]: string[]): Promise<{ bytes?: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  const ref = pdf.getCatalog().getRef('Metadata')
  const metadata = ref && pdf.getObject(ref)
  if (!(metadata instanceof PdfStream)) return {}
  const xmp = Buffer.from(metadata.getDecodedData())
  if (xmp.length > MOST_XMP_BYTES) return {}
  const without = xmp.toString().replace(CLAIM, '')
  if (without.length === xmp.toString().length) return {}
  metadata.setData(Buffer.from(without))
  metadata.delete('Filter')
  metadata.delete('DecodeParms')
  return { bytes: await pdf.save() }
}
