export { buildTypedData, DOMAIN, hashDocument, TYPES, writeDocument } from './agreement.ts'
export { ARBITRATOR, hashPrompt, OUTCOMES, type Ruling, signRuling, writeOperatorRuling } from './arbitration.ts'
export { signState } from './statement.ts'
