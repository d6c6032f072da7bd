import { readFile } from 'node:fs/promises'
import { PDF, PdfStream } from '@libpdf/core'

const MOST_XMP_BYTES = 2 ** 20
/** As elements and as attributes of a description. */
const CLAIM = /<pdfaid:(\w+)[^>]*>[\s\S]*?<\/pdfaid:\1>|\s+pdfaid:\w+="[^"]*"/g
const PART = /<pdfaid:part[^>]*>\s*(\d)|\spdfaid:part=["'](\d)/

/** An encrypted file is no PDF/A. Gives nothing where the document does not claim to be one. */
export async function dropPdfaClaim([file]: string[]): Promise<{ bytes?: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  return dropClaim(pdf) ? { bytes: await pdf.save() } : {}
}

/** Whether there was a claim to drop. */
export function dropClaim(pdf: PDF): boolean {
  const xmp = xmpOf(pdf)
  const without = xmp?.replace(CLAIM, '')
  if (without === undefined || without.length === xmp!.length) return false
  setPlain(metadataOf(pdf)!, without)
  return true
}

/** Which part of PDF/A the document claims to follow. */
export function partClaimed(pdf: PDF): number | undefined {
  const [, element, attribute] = PART.exec(xmpOf(pdf) ?? '') ?? []
  const part = element ?? attribute
  return part === undefined ? undefined : Number(part)
}

export function xmpOf(pdf: PDF): string | undefined {
  const data = metadataOf(pdf)?.getDecodedData()
  if (!data || data.length > MOST_XMP_BYTES) return undefined
  const bytes = Buffer.from(data)
  const [first, second] = bytes
  if (first === 0xfe && second === 0xff)
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')
  return bytes.toString(first === 0xff && second === 0xfe ? 'utf16le' : 'utf8')
}

export function setPlain(stream: PdfStream, text: string): void {
  stream.setData(Buffer.from(text))
  stream.delete('Filter')
  stream.delete('DecodeParms')
}

export function metadataOf(pdf: PDF): PdfStream | undefined {
  const ref = pdf.getCatalog().getRef('Metadata')
  const metadata = ref && pdf.getObject(ref)
  return metadata instanceof PdfStream ? metadata : undefined
}
