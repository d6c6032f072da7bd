export { PROOF_FIELDS } from './fields.ts'
export { findProof } from './proof.ts'
