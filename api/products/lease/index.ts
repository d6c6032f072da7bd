export { readFilename } from './filename.ts'
export { parseWireId } from './ids.ts'
export { withBody } from './memory.ts'
export { listLeasePrices, priceLease, requireAtMost, requireDuration } from './price.ts'
export { describePurchase, readPurchase, replyPrice } from './purchase.ts'
export {
  CONDITION_HEADERS,
  DryRun,
  LEASE_TERMS,
  LeaseId,
  NullableText,
  OWNER_AUTH,
  OWNER_ERRORS,
  Page,
  Pagination,
  PURCHASE_ERRORS,
  PURCHASE_HEADERS,
  Time,
} from './schema.ts'
export { entityTag, isKnown, readExpectedVersion } from './version-match.ts'
