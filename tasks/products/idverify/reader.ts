import type { DocumentType } from '../../formats/identity/reasons.ts'

/** What the machine can read of a document. */
export interface ReadDocument {
  type: DocumentType
  issuingCountry: string
  number: string | null
  firstName: string | null
  lastName: string | null
  dob: string | null
  expiry: string | null
  sex: string | null
  /** Null where there is no machine readable zone. */
  mrzValid: boolean | null
  hasBarcode: boolean
  /** Fields that differ between the zone and the barcode. */
  mismatches: string[]
}

export interface ImageQuality {
  side: string
  width: number
  height: number
  sharpness: number
  brightness: number
}

/** What came of reading the images of one attempt. */
export interface Reading {
  /** `missing`: the engines that read documents are not here; `unavailable`: the provider that reads them has failed. */
  state: 'read' | 'unreadable' | 'missing' | 'unavailable'
  document?: ReadDocument
  /** The text on the front, by OCR. */
  text?: string
  quality: ImageQuality[]
  /** Of the face of the selfie and that of the document, from 0 to 100, if a provider or a model compares faces here. */
  similarity?: number
  /** Why faces were not compared, although that is done here. */
  faceFault?: FaceFault
}

export type FaceFault = 'unavailable' | 'not-comparable' | 'no-face-in-selfie' | 'no-face-in-document'

export interface StoredSide {
  side: 'front' | 'back' | 'selfie' | `frame${number}`
  key: string
  type: string
  size: number
}

/** Reads images in confined processes, and hashes numbers of documents with a key of the service. */
export interface IdentityReader {
  read(images: readonly StoredSide[], signal: AbortSignal): Promise<Reading>
  hash(text: string): string
  /** A PDF of HTML without scripts. */
  print(html: string, signal: AbortSignal): Promise<Buffer>
}
