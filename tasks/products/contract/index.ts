export { buildTypedData, DOMAIN, hashDocument, TYPES, writeDocument } from './agreement.ts'
export { signState } from './statement.ts'
