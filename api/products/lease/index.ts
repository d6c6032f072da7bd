export { readFilename } from './filename.ts'
export { parseWireId } from './ids.ts'
export { holdBody, withBody } from './memory.ts'
export {
  describeLeasePrice,
  priceLease,
  requireAtMost,
  requireDuration,
  showLeasePrice,
  tellEnd,
} from './price.ts'
export {
  CONDITION_HEADERS,
  DryRun,
  LeaseId,
  NullableText,
  OWNER_AUTH,
  OWNER_ERRORS,
  OWNER_READS,
  Page,
  Pagination,
  PURCHASE_HEADERS,
  Time,
} from './schema.ts'
export { entityTag, isKnown, readExpectedVersion, requireVersion } from './version-match.ts'
