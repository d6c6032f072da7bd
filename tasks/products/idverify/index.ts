export {
  CHECK_RESULTS,
  DOCUMENT_TYPES,
  type DocumentType,
  REASON_CODES,
  type ReasonCode,
} from '../../formats/identity/reasons.ts'
export type { FaceFault, IdentityReader, ImageQuality, ReadDocument, Reading, StoredSide } from './reader.ts'
export { readTypedZone } from './zone.ts'
