import { readFile } from 'node:fs/promises'
import { PDF, PdfStream } from '@libpdf/core'

const MAX_XMP_BYTES = 2 ** 20
/** XMP may hold the claim as elements or as attributes. */
const CLAIM = /<pdfaid:(\w+)[^>]*>[\s\S]*?<\/pdfaid:\1>|\s+pdfaid:\w+="[^"]*"/g
const PART = /<pdfaid:part[^>]*>\s*(\d)|\spdfaid:part=["'](\d)/

/** Removes the claim to be PDF/A. Returns no bytes if the document makes no such claim. */
export async function dropPdfaClaim([file]: string[]): Promise<{ bytes?: Uint8Array }> {
  const pdf = await PDF.load(await readFile(file!))
  return dropClaim(pdf) ? { bytes: await pdf.save() } : {}
}

/** Returns whether there was a claim. */
export function dropClaim(pdf: PDF): boolean {
  const xmp = readXmpPacket(pdf)
  const cleaned = xmp?.replace(CLAIM, '')
  if (cleaned === undefined || cleaned.length === xmp!.length) return false
  setUncompressed(metadataStreamOf(pdf)!, cleaned)
  return true
}

/** The part of PDF/A that the document claims to follow. */
export function readClaimedPart(pdf: PDF): number | undefined {
  const [, element, attribute] = PART.exec(readXmpPacket(pdf) ?? '') ?? []
  const part = element ?? attribute
  return part === undefined ? undefined : Number(part)
}

export function readXmpPacket(pdf: PDF): string | undefined {
  const data = metadataStreamOf(pdf)?.getDecodedData()
  if (!data || data.length > MAX_XMP_BYTES) return undefined
  const bytes = Buffer.from(data)
  const [first, second] = bytes
  if (first === 0xfe && second === 0xff)
    return bytes
      .subarray(0, bytes.length & ~1)
      .swap16()
      .toString('utf16le')
  return bytes.toString(first === 0xff && second === 0xfe ? 'utf16le' : 'utf8')
}

export function setUncompressed(stream: PdfStream, text: string): void {
  stream.setData(Buffer.from(text))
  stream.delete('Filter')
  stream.delete('DecodeParms')
}

export function metadataStreamOf(pdf: PDF): PdfStream | undefined {
  const ref = pdf.getCatalog().getRef('Metadata')
  const metadata = ref && pdf.getObject(ref)
  return metadata instanceof PdfStream ? metadata : undefined
}
