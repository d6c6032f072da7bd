export type { IdentityReader, ImageQuality, ReadDocument, Reading, StoredSide } from './reader.ts'
export { CHECK_RESULTS, DOCUMENT_TYPES, type DocumentType, REASON_CODES, type ReasonCode } from './reasons.ts'
export { readTypedZone } from './zone.ts'
