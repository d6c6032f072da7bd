export { canonicalize } from './canonical.ts'
export { signJws } from './jws.ts'
export { newSigningKey, parseSigningKey, publicJwk, type SigningKey, writeSigningKey } from './key.ts'
export { buildStatement, isSignedBy, readKeyId, signStatement, type WitnessRecord } from './statement.ts'
