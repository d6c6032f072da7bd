export { newSigningKey, publicJwk, readSigningKey, type SigningKey, writeSigningKey } from './key.ts'
export { buildStatement, signStatement, type WitnessRecord } from './statement.ts'
