/** What the product and the document engine agree upon. Positions are per cent of the page as displayed, from its top left. */

export type CertificateLanguage = 'en' | 'de' | 'fr' | 'es'

/** A file in the store of objects. */
export interface StoredFile {
  key: string
  /** As a person knows it, with its ending. */
  name: string
  type: string
  sizeBytes: number
}

/** A page as displayed: cropped and rotated. */
export interface PageGeometry {
  /** From 1. */
  number: number
  /** Points. */
  width: number
  height: number
  rotation: 0 | 90 | 180 | 270
  isCropped: boolean
  hasText: boolean
  /** Whether its text is read from right to left. */
  isRightToLeft?: boolean
}

interface InspectedDocument {
  pages: PageGeometry[]
  /** Hexadecimal SHA-256 of the file as it was given. */
  sha256: string
  /** Form fields of the document itself. They become part of its pages when it is sealed. */
  formFields: number
  attachments: number
}

export const PLACED_FIELD_TYPES = [
  ...(['signature', 'initials', 'date', 'name', 'email', 'text', 'number'] as const),
  ...(['checkbox', 'radio', 'dropdown', 'attachment', 'stamp', 'heading'] as const),
] as const

export type PlacedFieldType = (typeof PLACED_FIELD_TYPES)[number]

export interface FieldArea {
  /** Which file, from 0. */
  file: number
  /** From 1. */
  page: number
  x: number
  y: number
  w: number
  h: number
}

interface FieldFont {
  /** Points; left out: as large as fits, at most 12. */
  size?: number
  align?: 'left' | 'center' | 'right'
}

interface PlacedField extends FieldArea {
  id: string
  /** Null: of the document itself, such as a heading. */
  recipientId: string | null
  type: PlacedFieldType
  required: boolean
  readOnly: boolean
  label: string | null
  font?: FieldFont
}

/** A signature or initials, as their signer made them. */
export type SignatureMark =
  /** Each stroke is a list of points in the units of `width` and `height`, from the top left. */
  | { mode: 'draw'; width: number; height: number; strokes: (readonly [x: number, y: number])[][] }
  | { mode: 'type'; text: string }
  | { mode: 'upload'; image: StoredFile }

/** What stands in a field when it is sealed. Times and numbers are already written as they will be shown. */
export type FieldValue =
  | { kind: 'text'; text: string }
  /** Of a checkbox, or of the one choice of a radio group that stands in this place. */
  | { kind: 'check'; isChecked: boolean }
  | { kind: 'mark'; mark: SignatureMark }
  /** Kept in the sealed document; its name is shown in the field. */
  | { kind: 'attachment'; file: StoredFile }

export interface FilledField extends Pick<PlacedField, 'id' | 'type' | 'font'>, FieldArea {
  value: FieldValue
}

/** Text that says where a field belongs, such as "Signature:". */
export interface AnchorSearch {
  text: string
  /** From 0, if it is sought in one file alone. */
  file?: number
  /** The n-th, from 1, or a word. */
  occurrence: 'first' | 'last' | 'all' | number
  /** From the end of the text to the field, in per cent of the page; default: right behind it. */
  dx?: number
  dy?: number
  w?: number
  h?: number
  /** Remove the text from the document. */
  remove: boolean
}

export interface PlaceSearch {
  /** Find tags such as {{sig:1}}, and remove them. */
  tags: boolean
  anchors: { id: string; search: AnchorSearch }[]
  /** If no tag is found: find what is printed for signatures, such as "Signature:" and lines of underscores. */
  automatic: boolean
  /** If nothing else is found: append a page, or add a block below the text of one, with a place for each of these. */
  fallback?: {
    style: 'block' | 'page'
    page: 'last' | number
    signers: { recipient: number; name: string }[]
    language: CertificateLanguage
  }
}

/** A place of a field that was found. */
export interface FoundPlace extends FieldArea {
  from: 'tag' | 'anchor' | 'automatic' | 'appended'
  /** Of the anchor that was asked for. */
  anchorId?: string
  type: Extract<PlacedFieldType, 'signature' | 'initials' | 'date' | 'name' | 'email' | 'text' | 'checkbox'>
  /** Which recipient, from 1, as the tag says; automatic places are numbered in reading order. */
  recipient?: number
  label?: string
  /** The text that was found. */
  text: string
}

export interface FoundPlaces {
  places: FoundPlace[]
  /** Anchors that are nowhere in the documents. */
  missing: { id: string; text: string }[]
  /** For each file that changed, because tags were removed or a page was appended: its new content. */
  changed: { file: number; bytes: Uint8Array; sha256: string; pages: PageGeometry[] }[]
}

export interface RenderedPage {
  bytes: Uint8Array
  contentType: 'image/webp'
  width: number
  height: number
}

export interface CertifiedRecipient {
  name: string
  email: string | null
  role: string
  status: string
  /** How the person was recognised: `link`, `email_otp`, `wallet` and so on. */
  authentication: string[]
  ip: string | null
  userAgent: string | null
  notifiedAt: string | null
  viewedAt: string | null
  signedAt: string | null
  /** The words that were agreed to. */
  consent: { version: string; text: string; at: string } | null
  mark: SignatureMark | null
}

/** What the certificate says. Times are ISO 8601 in UTC. */
export interface CertificateData {
  language: CertificateLanguage
  envelopeId: string
  title: string
  sender: string
  /** The service that sealed it, such as its address. */
  issuer: string
  createdAt: string
  sentAt: string
  completedAt: string
  /** The documents as they were sent. */
  documents: { name: string; sha256: string; pages: number }[]
  recipients: CertifiedRecipient[]
  events: { at: string; text: string; actor: string; hash: string }[]
  /** The last entry of the chain of events before the seal. */
  chainHead: { entries: number; hash: string }
  /** The logo is a data URI. */
  brand: { name: string; color: string | null; logo: string | null } | null
}

export interface SealRequest {
  /** Of the envelope; it also tells the files that are made apart. */
  id: string
  /** In their order. */
  files: StoredFile[]
  /** One sealed document of all files, or one of each. */
  joins: boolean
  fields: FilledField[]
  certificate: CertificateData
  certificatePlace: 'appended' | 'separate' | 'both'
  /** `B-T` asks for a timestamp; without one the seal is of level B-B and says why. */
  level: 'B-B' | 'B-T'
  /** The time of the seal, ISO 8601. The same request gives the same document, except for timestamps and ECDSA keys. */
  sealedAt: string
}

export interface SealedFile {
  name: string
  bytes: Uint8Array
  sha256: string
  pages: number
}

export interface SealedDocument {
  /** One, or one of each file. */
  documents: SealedFile[]
  /** If it stands apart. */
  certificate?: SealedFile
  level: 'B-B' | 'B-T'
  /** Why there is no timestamp although one was asked for. */
  timestampFailure?: string
  signer: { commonName: string; issuer: string; fingerprint: string; validTo: string }
}

export interface VerifiedSeal {
  /** All signatures are intact, and nothing that they forbid was added later. */
  isValid: boolean
  sha256: string
  signatures: {
    field: string
    integrity: 'valid' | 'modified' | 'unreadable'
    /** `service`: sealed by this service, or by the key of its operator. */
    trust: 'service' | 'trusted' | 'untrusted' | 'expired' | 'unknown'
    level: 'B-B' | 'B-T' | 'other'
    signer: string | null
    issuer: string | null
    signedAt: string | null
    timestamp: string | null
    coversWholeFile: boolean
    /** Kinds of what was appended later, such as `annotation`. */
    changesAfter: { kind: string; allowed: boolean }[]
    problem: string | null
  }[]
}

/**
 * The functions of the engine. In a worker a step is given them as `documents` (StepDeps & { documents: DocumentEngine });
 * each runs in confined processes and refuses what it cannot do with a problem.
 */
export interface DocumentEngine {
  /** Refuses with PDF_ENCRYPTED, PDF_XFA_UNSUPPORTED, PDF_ALREADY_SIGNED, PDF_PARSE_FAILED and TOO_MANY_PAGES. */
  inspect(file: StoredFile, signal: AbortSignal): Promise<InspectedDocument>
  findPlaces(files: readonly StoredFile[], search: PlaceSearch, signal: AbortSignal): Promise<FoundPlaces>
  /** One page for the signer, `width` pixels wide. */
  renderPage(file: StoredFile, page: number, width: number, signal: AbortSignal): Promise<RenderedPage>
  seal(request: SealRequest, signal: AbortSignal): Promise<SealedDocument>
  verify(file: StoredFile, signal: AbortSignal): Promise<VerifiedSeal>
}
