export { buildTypedData, DOMAIN, hashDocument, TYPES, writeDocument } from './agreement.ts'
export { ARBITRATOR, hashInputs, hashPrompt, OUTCOMES, type Ruling, signRuling } from './arbitration.ts'
export { signState } from './statement.ts'
